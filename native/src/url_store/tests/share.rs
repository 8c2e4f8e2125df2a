//! A store of one partition of several.

use super::*;

const HOSTS: u32 = 40;

fn hrefs() -> Vec<String> {
    let numbers = 0..HOSTS;
    numbers
        .map(|number| format!("http://h.s{number}.test/"))
        .collect()
}

#[test]
fn every_url_is_admitted_by_the_store_of_its_partition_and_by_no_other() {
    for partitions in [1, 2, 5] {
        let hrefs = hrefs();
        let named: Vec<&str> = hrefs.iter().map(String::as_str).collect();
        let mut counted = 0;
        for partition in 0..partitions {
            let share = Some(Share {
                partition,
                partitions,
            });
            let store = UrlStore::in_memory(Settings { share, ..SMALL }).unwrap();
            let admitted = admit(&store, &named, attributes(1, 0.5), None);
            for href in &hrefs {
                let is_own = partition_of_url(href, partitions) == partition;
                assert_eq!(state(&store, href).is_some(), is_own, "{href}");
            }
            assert_eq!(admitted.known, 0);
            counted += admitted.count;
        }
        assert_eq!(counted, u64::from(HOSTS));
    }
}

#[test]
fn hosts_of_one_registrable_domain_are_of_one_partition() {
    for number in 0..HOSTS {
        let domain = format!("s{number}.co.uk");
        let expected = partition_of(&domain, 256);
        for host in [format!("a.{domain}"), format!("b.c.{domain}")] {
            assert_eq!(partition_of(&host, 256), expected);
        }
        assert_eq!(
            partition_of_url(&format!("https://x.{domain}:8443/a?b"), 256),
            expected
        );
    }
}

#[test]
fn a_host_has_the_same_partition_for_good() {
    // Logs lie where these numbers say: they may never change.
    let known = [
        ("example.com", 165),
        ("www.example.com", 165),
        ("192.0.2.7", 151),
        ("", 20),
    ];
    for (host, partition) in known {
        assert_eq!(partition_of(host, 256), partition, "{host}");
    }
}
