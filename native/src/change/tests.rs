use proptest::prelude::*;

use super::*;

const TEXT: &str = "The harbour master counts the ships that come in with the tide, and writes each name into a book.";

fn page(blocks: &[&str]) -> Option<[u8; 16]> {
    let parts: Vec<_> = blocks.iter().map(|text| part(text, 0)).collect();
    digest(&parts)
}

fn part(text: &str, linked: usize) -> Part<'_> {
    Part {
        text,
        linked,
        is_in_form: false,
    }
}

fn is_change(before: &str, after: &str) -> bool {
    assert_ne!(before, after);
    page(&[TEXT, before]) != page(&[TEXT, after])
}

#[test]
fn r3_dates_of_the_page_are_no_change() {
    for (before, after) in [
        ("2024-05-03", "2025-11-30"),
        ("3 May 2024", "14 June 2024"),
        ("May 3, 2024", "June 14th, 2024"),
        (
            "Friday, May 3, 2024 10:23 am",
            "Monday, June 14, 2024 9:05 pm",
        ),
        ("Published 3rd of May 2024", "Published 14th of June 2025"),
        (
            "Last updated: 2024-05-03T10:20:30Z",
            "Last updated: 2025-01-12T00:01:02Z",
        ),
        (
            "Last modified on 05/03/2024 at 10:23 UTC",
            "Last modified on 12/30/2024 at 22:01 UTC",
        ),
        (
            "Posted by Jane Doe on May 3, 2024",
            "Posted by Jane Doe on May 4, 2024",
        ),
        ("By Jane Doe, 3 May 2024", "By Jane Doe, 4 May 2024"),
        (
            "Jane Doe · 3 May 2024 · 4 min read",
            "Jane Doe · 12 May 2024 · 4 min read",
        ),
        ("Jane Doe | May 3, 2024", "Jane Doe | Dec 24, 2024"),
        ("3 hours ago", "5 days ago"),
        ("Updated an hour ago", "Updated 2 hours ago"),
        (
            "Today is Monday, 5 May 2025",
            "Today is Tuesday, 6 May 2025",
        ),
        ("© 2024", "© 2025"),
        ("Copyright 2019-2024", "Copyright 2019-2025"),
        ("Stand: 03.05.2024", "Stand: 14.06.2024"),
        (
            "Veröffentlicht am 3. Mai 2024, 10:23 Uhr",
            "Veröffentlicht am 14. Juni 2024, 9:01 Uhr",
        ),
        ("vor 3 Stunden", "vor 12 Minuten"),
        (
            "Publié le 3 mai 2024 à 10h23",
            "Publié le 14 juin 2024 à 9h01",
        ),
        (
            "Actualizado el 3 de mayo de 2024",
            "Actualizado el 14 de junio de 2024",
        ),
        (
            "Pubblicato il 3 maggio 2024",
            "Pubblicato il 14 giugno 2024",
        ),
        (
            "Atualizado em 3 de maio de 2024",
            "Atualizado em 14 de junho de 2024",
        ),
        ("Bijgewerkt op 3 mei 2024", "Bijgewerkt op 14 juni 2024"),
        ("Opublikowano 3 maja 2024", "Opublikowano 14 czerwca 2024"),
        (
            "Опубликовано 3 мая 2024 г. в 10:23",
            "Опубликовано 14 июня 2024 г. в 09:01",
        ),
        ("3 часа назад", "5 дней назад"),
        ("发布于 2024年5月3日 10:23", "发布于 2024年6月14日 09:01"),
        ("3小时前", "12分钟前"),
        ("更新日:2024年5月3日", "更新日:2024年6月14日"),
        ("2024년 5월 3일", "2024년 6월 14일"),
        ("تاريخ النشر 3 مايو 2024", "تاريخ النشر 14 يونيو 2024"),
        ("Updated: yesterday", "Updated: today"),
        ("Posted 2d ago", "Posted 3d ago"),
        ("il y a 3 heures", "il y a 12 minutes"),
        ("3시간 전", "5시간 전"),
        ("2024年5月3日(金)", "2024年6月14日(土)"),
        ("Tuesday", "Wednesday"),
        (
            "This page was last edited on 3 May 2024, at 10:23 (UTC).",
            "This page was last edited on 4 May 2025, at 11:24 (UTC).",
        ),
    ] {
        assert!(!is_change(before, after), "{before} / {after}");
    }
}

#[test]
fn r3_counters_are_no_change() {
    for (before, after) in [
        ("1,234 views", "1,301 views"),
        ("1 view", "2 views"),
        ("1.2k views · 5 comments", "13K views · 12 comments"),
        ("Views: 1,234", "Views: 99"),
        ("Comments (5)", "Comments (12)"),
        ("No comments", "1 comment"),
        (
            "3 May 2024 · 1 234 views · 5 comments",
            "4 May 2024 · 1 301 views · 7 comments",
        ),
        ("12 shares 4 likes", "13 shares 50 likes"),
        ("1.234 Aufrufe", "12.345 Aufrufe"),
        ("5 Kommentare", "6 Kommentare"),
        ("12 commentaires", "13 commentaires"),
        ("5 comentarios", "6 comentarios"),
        ("1 234 просмотра", "1 235 просмотров"),
        ("Просмотров: 55", "Просмотров: 56"),
        ("阅读 1234", "阅读 1301"),
        ("1234次浏览", "99次浏览"),
        ("5 条评论", "12 条评论"),
        ("조회수 1,234", "조회수 1,301"),
        ("Viewed 1,234 times", "Viewed 1,301 times"),
        ("Leave a comment (3)", "Leave a comment (4)"),
        ("Views 1234", "Views 1301"),
        ("date 3 May 2024 / views 120", "date 4 May 2024 / views 150"),
    ] {
        assert!(!is_change(before, after), "{before} / {after}");
    }
    let long = |views: &str| format!("{TEXT} {TEXT} It has {views} views. {TEXT}");
    assert_eq!(page(&[&long("1,234")]), page(&[&long("98,765")]));
}

#[test]
fn r3_every_other_figure_is_a_change() {
    for (before, after) in [
        ("12.99 €", "13.99 €"),
        ("$1,299.00", "$1,199.00"),
        ("Price: 12", "Price: 13"),
        ("In stock: 12", "In stock: 3"),
        ("Only 3 left", "Only 2 left"),
        (
            "The meeting was moved to 3 May 2024.",
            "The meeting was moved to 10 May 2024.",
        ),
        ("Deadline: 3 May 2024", "Deadline: 10 May 2024"),
        (
            "Opening hours: 9:00 to 17:00",
            "Opening hours: 10:00 to 17:00",
        ),
        ("Version 1.2.3", "Version 1.2.4"),
        ("Temperature 21", "Temperature 22"),
        ("Rated 4.5 out of 5", "Rated 4.4 out of 5"),
        ("Chapter 3", "Chapter 4"),
        ("Comments 5 stars", "Comments 4 stars"),
        ("Open on Tuesday", "Open on Wednesday"),
        (
            "The concert was last Tuesday",
            "The concert was last Wednesday",
        ),
        (
            "Departure 10:23, arrival 11:00",
            "Departure 10:25, arrival 11:00",
        ),
        ("Table for 2 at 19:00", "Table for 2 at 20:00"),
        ("Address 10.0.0.1", "Address 10.0.0.2"),
        ("¥1,280", "¥1,380"),
        ("價格 1280 元", "價格 1380 元"),
        ("Цена 1 299 руб.", "Цена 1 399 руб."),
        ("may 12 of them", "may 13 of them be late to the harbour"),
    ] {
        assert!(is_change(before, after), "{before} / {after}");
    }
    let long = |figure: &str| {
        format!("{TEXT} {TEXT} It cost {figure} in all, and {TEXT} Last updated 3 May 2024.")
    };
    assert_ne!(page(&[&long("12.99")]), page(&[&long("13.99")]));
    let bought =
        |count: &str| format!("{TEXT} {TEXT} They bought {count} shares of the company. {TEXT}");
    assert_ne!(page(&[&bought("5,000")]), page(&[&bought("6,000")]));
}

#[test]
fn r3_a_labelled_date_in_a_long_block_is_no_change() {
    let long = |date: &str| format!("{TEXT} {TEXT} {TEXT} Last updated: {date}.");
    assert_eq!(
        page(&[&long("3 May 2024")]),
        page(&[&long("12 December 2025")])
    );
    let timed = |date: &str| format!("{TEXT} {TEXT} {TEXT} It was last updated on {date}.");
    assert_eq!(
        page(&[&timed("3 May 2024 at 10:23")]),
        page(&[&timed("12 May 2025 at 11:24")])
    );
    let event =
        |date: &str| format!("{TEXT} {TEXT} {TEXT} The ship leaves on {date} in the morning.");
    assert_ne!(
        page(&[&event("3 May 2024")]),
        page(&[&event("12 May 2024")])
    );
}

#[test]
fn r3_teasers_and_lists_of_links_are_no_change() {
    let with = |teasers: [(&str, &str); 2]| {
        let mut parts = vec![part(TEXT, 0)];
        for (heading, text) in teasers.iter() {
            parts.push(part(heading, heading.len()));
            parts.push(part(text, 0));
        }
        parts.push(part("More articles", 13));
        digest(&parts)
    };
    let before = with([
        (
            "A new bridge",
            "The river gets its third bridge this summer.",
        ),
        ("The old mill", "Nobody knows how old the mill really is."),
    ]);
    let after = with([
        ("Market day", "On Friday all the farmers come to the town."),
        ("A lost dog", "It was found near the station and is well."),
    ]);
    assert_eq!(before, after);
    let prices = |price: &str| {
        let price = format!("Now for only {price} in all our shops");
        digest(&[
            part(TEXT, 0),
            part("Brand", 5),
            part(&price, 0),
            part("Buy", 3),
        ])
    };
    assert_ne!(prices("12.99 €"), prices("13.99 €"));
}

#[test]
fn r3_a_page_of_links_alone_is_its_links() {
    let one = digest(&[part("A new bridge", 12), part("The old mill", 12)]);
    assert!(one.is_some());
    assert_ne!(
        one,
        digest(&[part("A new bridge", 12), part("Market day", 10)])
    );
    assert_eq!(digest(&[]), None);
}

#[test]
fn r3_of_a_form_only_prices_count() {
    let form = |text: &'static str| {
        let in_form = Part {
            is_in_form: true,
            ..part(text, 0)
        };
        digest(&[part(TEXT, 0), in_form])
    };
    assert_ne!(form("Buy now: 12.99 €"), form("Buy now: 13.99 €"));
    assert_eq!(form("What is 3 + 4?"), form("What is 2 + 9?"));
}

#[test]
fn r3_text_that_moves_between_blocks_is_a_change() {
    assert_ne!(
        page(&["one two three", "four"]),
        page(&["one two", "three four"])
    );
}

proptest! {
    #[test]
    fn r3_any_text_has_spans_in_order(text in any::<String>(), again in 0usize..20) {
        let text = text.repeat(again);
        let mut spans = Vec::new();
        passing::find(&text, &mut Vec::new(), &mut spans);
        let mut from = 0;
        for (start, end) in spans {
            prop_assert!(from <= start && start < end && end <= text.len());
            prop_assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
            from = end;
        }
    }

    #[test]
    fn r3_any_mix_of_dates_and_words_has_spans_in_order(
        words in prop::collection::vec("(3|2024|May|views|12|:|-|ago|hours|年|月|评论|updated|\\.|·| |price){1,4}", 0..60)
    ) {
        let text = words.join(" ");
        let mut spans = Vec::new();
        passing::find(&text, &mut Vec::new(), &mut spans);
        let mut from = 0;
        for (start, end) in spans {
            prop_assert!(from <= start && start < end && end <= text.len());
            from = end;
        }
    }
}
