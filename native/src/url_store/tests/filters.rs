use super::*;

#[test]
fn a_full_filter_is_replaced_by_a_larger_one_while_the_crawl_runs_u4() {
    on_both_trees(|store| {
        let first = store.counts().bloom_bits;
        for frame in 0..30 {
            let hrefs: Vec<String> = (0..100)
                .map(|number| format!("http://a.test/{frame}/{number}"))
                .collect();
            add(
                &store,
                &hrefs.iter().map(String::as_str).collect::<Vec<_>>(),
                attributes(1, 0.5),
            );
            store.filters.settle();
        }
        assert!(store.counts().bloom_bits >= 2 * first);
        for frame in 0..30 {
            for number in 0..100 {
                assert!(
                    store
                        .filters
                        .may_contain(&key(&format!("http://a.test/{frame}/{number}")))
                );
            }
        }
    });
}

#[test]
fn a_false_positive_costs_a_look_up_and_no_url_u4() {
    on_both_trees(|store| {
        let hrefs: Vec<String> = (0..8000)
            .map(|number| format!("http://a.test/{number}"))
            .collect();
        let admitted: u64 = hrefs
            .chunks(1000)
            .map(|frame| {
                let frame: Vec<&str> = frame.iter().map(String::as_str).collect();
                let admitted = admit(&store, &frame, attributes(1, 0.5), None);
                apply(&store, &[&admitted.data], &[]);
                admitted.count
            })
            .sum();
        assert_eq!(
            admitted, 8000,
            "a filter for 1,024 keys was wrong many times"
        );
        assert_eq!(store.counts().queued, 8000);
        assert!(store.counts().bloom_false_positives > 0);
        assert!(store.counts().bloom_tests >= 8000);
    });
}
