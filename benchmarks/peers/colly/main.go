// Follows every link to the hosts of the site, and writes what a page is called and links to.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

// All 500 hosts are asked for robots.txt at once, outside of the limit: on a busy machine ten seconds, the default, are
// too few for as many handshakes.
const patience = 2 * time.Minute

type item struct {
	URL   string   `json:"url"`
	Title string   `json:"title"`
	Links []string `json:"links"`
}

func main() {
	seeds, err := os.ReadFile(os.Args[1])
	check(err)
	concurrency, err := strconv.Atoi(os.Args[2])
	check(err)
	file, err := os.Create(os.Args[3])
	check(err)

	collector := colly.NewCollector(
		colly.Async(true),
		colly.URLFilters(regexp.MustCompile(`^https?://127\.20\.`)),
	)
	collector.IgnoreRobotsTxt = false
	collector.DisableCookies()
	collector.SetRequestTimeout(patience)
	check(collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: concurrency}))
	collector.WithTransport(transport(concurrency))

	var writing sync.Mutex
	buffered := bufio.NewWriterSize(file, 1<<20)
	encoder := json.NewEncoder(buffered)

	// One callback for the document, rather than one for each link and one for the title.
	collector.OnHTML("html", func(page *colly.HTMLElement) {
		found := item{URL: page.Request.URL.String(), Title: page.ChildText("title")}
		seen := map[string]bool{}
		for _, href := range page.ChildAttrs("a[href]", "href") {
			href, _, _ = strings.Cut(href, "#")
			link := page.Request.AbsoluteURL(href)
			if link != "" && !seen[link] {
				seen[link] = true
				found.Links = append(found.Links, link)
			}
		}
		writing.Lock()
		check(encoder.Encode(found))
		writing.Unlock()
		for _, link := range found.Links {
			// Links out of scope and those that were visited are refused by an error.
			_ = page.Request.Visit(link)
		}
	})
	for _, seed := range strings.Fields(string(seeds)) {
		// Another page may have led there before.
		_ = collector.Visit(seed)
	}
	collector.Wait()
	check(buffered.Flush())
	check(file.Close())
}

// As many idle connections as requests under way: with the two a host that net/http keeps, connections would be made anew.
func transport(concurrency int) *http.Transport {
	chosen := http.DefaultTransport.(*http.Transport).Clone()
	chosen.MaxIdleConns = 0
	chosen.MaxIdleConnsPerHost = concurrency
	chosen.IdleConnTimeout = time.Minute
	chosen.TLSHandshakeTimeout = patience
	if authority := os.Getenv("AUTHORITY"); authority != "" {
		pem, err := os.ReadFile(authority)
		check(err)
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		chosen.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return chosen
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
