//! Pages with one `main` whose text is short or a list of links, and banners that ask for consent.

use super::{PROSE, read};

const NAV: &str = "<nav><a href=/a>A</a></nav>";
const LIST: &str =
    "<main><h1>Hats</h1><ul><li><a href=/1>Hat 1</a> €5<li><a href=/2>Hat 2</a> €6</ul></main>";
const FOOTER: &str = "<footer><a href=/p>Privacy</a></footer>";
const HATS: &str =
    "# Hats\n\n- [Hat 1](https://example.com/1) €5\n- [Hat 2](https://example.com/2) €6";
const BANNERS: [&str; 6] = [
    "<div id=cookie-banner class=cookie-consent>We use cookies. <button>Accept all</button></div>",
    "<div role=dialog aria-label=Cookies>We use cookies. <button>Accept all</button></div>",
    "<section aria-label='Cookie notice'>We use cookies.</section>",
    "<div id=gdpr><p>We use cookies.</p></div>",
    "<div class=dialog aria-modal=true>We use cookies.</div>",
    "",
];

#[test]
fn a_list_of_links_in_main_is_the_text_of_its_page() {
    for banner in BANNERS {
        for page in [
            format!("{NAV}{banner}{LIST}{FOOTER}"),
            format!("{NAV}{LIST}{banner}{FOOTER}"),
            format!("<form>{NAV}{LIST}{banner}{FOOTER}</form>"),
        ] {
            assert_eq!(read(&page).markdown, HATS, "{page}");
        }
    }
}

#[test]
fn a_category_of_a_shop_has_no_header_search_or_footer() {
    let page = format!(
        "<header><a href=/>Shop</a>{NAV}<form role=search><input><button>Search</button></form></header>\
         <div class=cookies>{PROSE}<button>Accept all</button></div>{LIST}<footer><p>{PROSE}</p></footer>"
    );
    assert_eq!(read(&page).markdown, HATS);
}

#[test]
fn a_long_banner_is_not_chosen_over_a_short_main() {
    for banner in [
        format!(
            "<div class=cookie-consent><h2>Cookies</h2><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></div>"
        ),
        format!("<div role=alertdialog><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></div>"),
    ] {
        let page =
            format!("{NAV}{banner}<main><h1>Privacy</h1><p>We keep nothing.</p></main>{FOOTER}");
        assert_eq!(read(&page).markdown, "# Privacy\n\nWe keep nothing.");
    }
}

#[test]
fn a_page_about_cookies_has_its_text() {
    let text = format!("<h1>Cookies</h1><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p>");
    for page in [
        format!("{NAV}<div class=cookie-policy>{text}</div>{FOOTER}"),
        format!("{NAV}<main class=cookie-policy>{text}</main>{FOOTER}"),
        format!("{NAV}<main><div id=cookie-policy>{text}</div></main>{FOOTER}"),
        format!("{NAV}<div id=cookie-policy><main>{text}</main></div>{FOOTER}"),
    ] {
        assert_eq!(read(&page).plain, format!("{PROSE}\n{PROSE}\n{PROSE}"));
    }
}

#[test]
fn a_main_that_a_script_fills_later_is_not_the_text() {
    let page = format!("<main>Loading</main><div><p>{PROSE}</p></div>");
    assert!(read(&page).plain.contains(PROSE));
}

#[test]
fn a_main_with_nothing_but_navigation_keeps_it() {
    let page = format!("{NAV}<main><h1>Map</h1><nav><a href=/x>Hats</a></nav></main>{FOOTER}");
    assert_eq!(
        read(&page).markdown,
        "# Map\n\n[Hats](https://example.com/x)"
    );
}
