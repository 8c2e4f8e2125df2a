// Downloads every page of the site, and does nothing else: the limit of what this machine and its server can give.
//
// It knows all paths, and each worker takes one host after the other, with one connection that stays open. Written
// against the connection itself: net/http takes about as much CPU as everything here together.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
)

var lengthField = []byte("content-length:")

func main() {
	seeds, paths := lines(os.Args[1]), lines(os.Args[2])
	concurrency, err := strconv.Atoi(os.Args[3])
	check(err)
	trusted := authority()
	hosts := make(chan string)
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for seed := range hosts {
				download(seed, paths, trusted)
			}
		})
	}
	for _, seed := range seeds {
		hosts <- seed
	}
	close(hosts)
	workers.Wait()
}

func download(seed string, paths []string, trusted *tls.Config) {
	where, err := url.Parse(seed)
	check(err)
	connection, err := net.Dial("tcp", where.Host)
	check(err)
	if where.Scheme == "https" {
		chosen := trusted.Clone()
		chosen.ServerName = where.Hostname()
		connection = tls.Client(connection, chosen)
	}
	defer connection.Close()
	answers := bufio.NewReaderSize(connection, 1<<16)
	for _, path := range paths {
		_, err := fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip\r\n\r\n", path, where.Host)
		check(err)
		skip(answers)
	}
}

// Files have a length; a server that sends chunks instead would be an error here.
func skip(answers *bufio.Reader) {
	length := -1
	status, err := answers.ReadSlice('\n')
	check(err)
	if !bytes.Contains(status, []byte(" 200 ")) {
		panic(string(status))
	}
	for {
		line, err := answers.ReadSlice('\n')
		check(err)
		if len(line) <= 2 {
			break
		}
		if len(line) > len(lengthField) && bytes.EqualFold(line[:len(lengthField)], lengthField) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthField):])))
			check(err)
		}
	}
	if length < 0 {
		panic("an answer without a length")
	}
	_, err = io.CopyN(io.Discard, answers, int64(length))
	check(err)
}

func authority() *tls.Config {
	file := os.Getenv("AUTHORITY")
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &tls.Config{RootCAs: roots}
}

func lines(file string) []string {
	text, err := os.ReadFile(file)
	check(err)
	return strings.Fields(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
