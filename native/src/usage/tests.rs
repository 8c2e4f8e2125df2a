use proptest::prelude::*;

use super::*;

fn members_of(statement: Statement, text: &str) -> Vec<String> {
    members(statement, text).collect()
}

#[test]
fn w1_a_statement_is_a_list_of_keys_and_values() {
    assert_eq!(
        members_of(Statement::Usage, "train-ai=n, search=y"),
        ["train-ai=n", "search=y"]
    );
    assert_eq!(
        members_of(Statement::Signal, "search=yes,ai-train=no"),
        ["search=yes", "ai-train=no"]
    );
}

#[test]
fn w1_a_statement_is_read_as_it_is_meant_however_it_is_written() {
    for text in [
        "AI-Train = No; search=yes",
        "ai-train=no search=yes",
        " ,ai-train= no,,search =yes,",
    ] {
        assert_eq!(
            members_of(Statement::Signal, text),
            ["ai-train=no", "search=yes"]
        );
    }
    assert_eq!(
        members_of(
            Statement::Usage,
            "train-ai=n;until=\"2027, May\";x=y, search"
        ),
        ["train-ai=n", "search"]
    );
    assert_eq!(members_of(Statement::Usage, "=n, é=n, \"a\"=n,;"), [""; 0]);
}

#[test]
fn w1_every_line_is_one_signal_and_stands_once() {
    let mut signals = Signals::default();
    signals.add_header("Content-Usage", "train-ai=n, train-ai=n");
    signals.add_header("TDM-Policy", "https://a.test/p\r\nheader noai\u{2028}x");
    signals.add(Place::Meta, Name::NoAi, "");
    signals.add(Place::Meta, Name::NoAi, "");
    assert!(signals.add_meta("TDM-Reservation", " 1 "));
    assert!(!signals.add_meta("description", "1"));
    assert_eq!(
        signals.into_lines(),
        "header content-usage train-ai=n\nheader tdm-policy https://a.test/p header noai x\nmeta noai\n\
         meta tdm-reservation 1"
    );
}

#[test]
fn w1_licences_of_rsl_are_told_from_others() {
    let mut signals = Signals::default();
    signals.add_license(Place::Link, "https://a.test/by", "text/html");
    signals.add_license(
        Place::Header,
        "https://a.test/rsl",
        "Application/RSL+xml; charset=utf-8",
    );
    assert_eq!(
        signals.into_lines(),
        "link license https://a.test/by\nheader rsl https://a.test/rsl"
    );
}

#[test]
fn w1_signals_have_a_cap() {
    let mut signals = Signals::default();
    for number in 0..1_000 {
        signals.add_license(
            Place::Link,
            &format!("https://a.test/{number}/{}", "a".repeat(1_000)),
            "",
        );
        signals.add_header("content-usage", &format!("x{number}=n,").repeat(1_000));
    }
    signals.add(Place::Meta, Name::NoAi, "");
    let lines = signals.into_lines();
    assert!(lines.ends_with("\nmeta noai"));
    assert_eq!(lines.split('\n').count(), usize::from(MOST) + 2);
    assert!(lines.len() < 32_000);
}

proptest! {
    #[test]
    fn w1_any_text_is_a_value(value in any::<String>(), statement in any::<bool>()) {
        let mut signals = Signals::default();
        let statement = if statement { Statement::Usage } else { Statement::Signal };
        signals.add_statement(Place::Robots, statement, &value);
        signals.add(Place::Header, Name::TdmPolicy, &value);
        let lines = signals.into_lines();
        prop_assert!(lines.split('\n').all(|line| line.starts_with("robots content-") || line.starts_with("header tdm-policy")));
        prop_assert!(!lines.chars().any(|character| character.is_control() && character != '\n'));
    }
}
