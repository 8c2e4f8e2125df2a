//! What the author of a page says about an element: its class, id, role and item property, as bits.
//!
//! Names are made of words (`post-content`, `postContent`, `post_content`). Each is looked up twice in one pass: as words
//! between spaces, and without what separates them. A pattern that begins and ends with a space is a whole word.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

use super::outline::{Index, Outline};
use super::tag::Tag;
use crate::html::tree::Element;

/// Bytes of a class or an id that are looked at.
const MOST_BYTES: usize = 300;

pub type Marks = u32;

/// Navigation, advertising, recommendations, sharing: never part of the text.
pub const BESIDE: Marks = 1;
pub const COMMENTS: Marks = 2;
/// Author, date, tags, credits.
pub const BYLINE: Marks = 4;
/// The body of an article.
pub const BODY: Marks = 8;
/// Something that holds the content, among other things.
pub const CONTENT: Marks = 16;
pub const HIDDEN: Marks = 32;
/// An announcement of another page.
pub const TEASER: Marks = 64;
pub const CAPTION: Marks = 128;
/// A post of a forum, an answer, a message.
pub const POST: Marks = 256;
/// What is sold: a description, features, specifications.
pub const PRODUCT: Marks = 512;
/// A panel that a tab shows.
pub const PANEL: Marks = 1024;
/// Often beside the text, but as often around it.
pub const DOUBTFUL: Marks = 4096;
/// Price, stock, delivery and buttons of a shop.
pub const SHOPPING: Marks = 8192;
/// The first paragraph of an article, where it stands apart.
pub const LEAD: Marks = 16384;
/// A button that puts something into a basket.
pub const CART: Marks = 32768;
/// What a forum shows beside each post.
pub const POSTER: Marks = 2048;

const PATTERNS: &[(Marks, &[&str])] = &[
    (
        BESIDE,
        &[
            "sidebar",
            "sidenav",
            "breadcrumb",
            "newsletter",
            "cookie",
            "consent",
            "gdpr",
            "related",
            "recommend",
            "sharing",
            "sharebar",
            "sharebutton",
            "sharelink",
            "sharethis",
            "socialshare",
            "socialmedia",
            "sociallinks",
            "socialicons",
            "sociable",
            "addthis",
            "addtoany",
            "sharedaddy",
            " shares ",
            "navigation",
            "navbar",
            "navmenu",
            " nav ",
            " navi ",
            " subnav ",
            " topnav ",
            " menu ",
            "submenu",
            "pagination",
            " pager ",
            " paging ",
            "skiplink",
            "skipto",
            "advert",
            "adsense",
            "adslot",
            "adcontainer",
            "googlead",
            " ad ",
            " ads ",
            " dfp ",
            "outbrain",
            "taboola",
            "sponsor",
            "subscribe",
            "lightbox",
            "toolbar",
            "masthead",
            "mostread",
            "mostpopular",
            "popularpost",
            "trending",
            "readmore",
            "readnext",
            "nextpost",
            "prevpost",
            "previouspost",
            "postnav",
            "authorbox",
            "userbio",
            "authorbio",
            "aboutauthor",
            "aboutheauthor",
            "abouttheauthor",
            "tagcloud",
            "printfooter",
            "catlinks",
            "editsection",
            "jumplinks",
            " toplink ",
            "backtotop",
            "noprint",
            "printonly",
            "widgetarea",
            "footer",
            "callout cta",
            " cta ",
            "calltoaction",
            "signup",
            " login ",
            "loginform",
            "searchform",
            "searchbox",
            " vote ",
            " votes ",
            " likes ",
            "yarpp",
            "crp related",
            "zemanta",
            "wpsocial",
            " ssba ",
            " heateor ",
            "shariff",
            "twitter share",
            "tweetbutton",
            "flattr",
            "imprint",
            "copyright",
            "languageswitch",
            "langswitch",
            "languageselect",
            " lang menu ",
            "moreon",
            "morefrom",
            "morenews",
            "morestories",
            "morearticles",
            "youmaylike",
            "youmightlike",
            "alsolike",
            "aehnlich",
            "empfehlung",
            "infobox nav",
            "headerlink",
            "anchorlink",
            "crosslink",
            "infoline",
            "printlink",
            "articletools",
            "posttools",
            "pagetools",
            "articleactions",
            "postactions",
            "pageactions",
            "quicklinks",
            "screenreader",
            " sr only ",
            "sronly",
            "visuallyhidden",
            "visually hidden",
            "hiddenvisually",
            "offscreen",
            "relpost",
            "linkwithin",
            "jp relatedposts",
            "nocontent",
            "wprp",
            "pageviews",
            "postviews",
            "reprint",
            "syndication",
            "blogroll",
            "thumbnails",
            "navigator",
            "flyout",
            "tracklist nav",
            "pinit",
            "rssfeed",
            "feedlink",
            "trackback",
            "pingback",
            " hatena ",
            "bookmarks",
            "mailpoet",
            "mailchimp",
            "mcembed",
            "optin",
            "leadmagnet",
            "paid content",
            "partnerlinks",
            "affiliate",
            "authorinfo",
            "disclosure",
            "licenceinfo",
            "nextstory",
            "nextarticle",
            "prevarticle",
            "previousarticle",
            "articlenav",
            "commentform",
            "hideprint",
            "hidecompletely",
            "wpcnt",
        ],
    ),
    (
        DOUBTFUL,
        &[
            " share ",
            " social ",
            "promo",
            "subscription",
            "popup",
            " modal ",
            " overlay ",
            "banner",
            " widget ",
            " widgets ",
            " search ",
            "rating",
            "whatsapp",
            "facebook",
            "disclaimer",
            "donate",
            "donation",
            "weitere",
            "permalink",
            "ticker",
            " actions ",
            "feedback",
            " poll ",
            "accessibility",
            "archivelist",
            "postlist",
            "articlelist",
            "newslist",
            " carousel ",
            "slideshow",
            " slider ",
            " gallery ",
            "dropdown",
            " rss ",
        ],
    ),
    (
        COMMENTS,
        &[
            "comment",
            "disqus",
            " respond ",
            "kommentar",
            " replies ",
            " reply ",
            "leserbrief",
            "commento",
            "livefyre",
            " guestbook ",
            "usercontribution",
            "reactions",
        ],
    ),
    (
        BYLINE,
        &[
            " byline ",
            "byline",
            " author ",
            " authors ",
            "autor ",
            " dateline ",
            " date ",
            "datetime",
            "timestamp",
            "pubdate",
            "publishdate",
            "publishedon",
            "postdate",
            "entrydate",
            "articledate",
            " published ",
            "entrymeta",
            "postmeta",
            "articlemeta",
            "metadata",
            "postinfo",
            "entryinfo",
            "articleinfo",
            "posted on",
            "posttags",
            "articletags",
            "entrytags",
            " tags ",
            " tag ",
            "taglist",
            "tagslist",
            " taxonomy ",
            " keywords ",
            "entryutility",
            "postcategories",
            " categories ",
            " category ",
            "catlist",
            "entryfooter",
            "postfooter",
            "articlefooter",
            " credit ",
            " credits ",
            "photocredit",
            "imagecredit",
            "bildnachweis",
            "readingtime",
            "readtime",
            "modified ",
            "lastupdated",
            "updatedat",
            " vcard ",
            "authorinfo",
            "authorname",
            "authorcard",
            "contributor",
            " meta ",
            " sources ",
            "artsources",
            "pageinfo",
            "documentbyline",
            "source link",
            " kicker ",
            " overline ",
            "dachzeile",
            "ressort",
            "eyebrow",
        ],
    ),
    (
        BODY,
        &[
            "articlebody",
            "articletext",
            "articlecontent",
            "articlecopy",
            "articlemain",
            "articleinner",
            "entrycontent",
            "entrytext",
            "entrybody",
            "postcontent",
            "postbody",
            "posttext",
            "postentry",
            "postcopy",
            "storybody",
            "storycontent",
            "storytext",
            "storycopy",
            "newstext",
            "newsbody",
            "newscontent",
            "contentbody",
            "bodytext",
            "bodycontent",
            "bodycopy",
            "textbody",
            "contenttext",
            "blogcontent",
            "blogbody",
            "blogtext",
            "singlecontent",
            "artikeltext",
            "artikelbody",
            "artikelinhalt",
            "richtext",
            "maintext",
            "fulltext",
            "textcontent",
            "nodecontent",
            "pagecontent",
            "mwparseroutput",
            "mwcontenttext",
            "fieldnamebody",
            "fieldbody",
            "prose ",
            "markdownbody",
            "rstcontent",
            "articlecontainer",
            "contentarticle",
            "singlepostcontent",
            "themedocmarkdown",
            "bodymain",
        ],
    ),
    (
        CONTENT,
        &[
            "content",
            " main ",
            " article ",
            " story ",
            " post ",
            " entry ",
            " inhalt ",
            " single ",
            " text ",
            "hentry",
            "artikel",
            "maincol",
            "primary",
        ],
    ),
    (
        TEASER,
        &[
            "teaser",
            " promo ",
            " card ",
            " cards ",
            " tile ",
            " tiles ",
            " excerpt ",
            "preview",
            "headlinelist",
        ],
    ),
    (
        CAPTION,
        &[
            "caption",
            "bildunterschrift",
            "imagecopyright",
            "picturetext",
            " legend ",
            "imagesubtitle",
            "bildtext",
            "imagetext",
            "imagedescription",
            "imagecredit",
            "photocredit",
            "bildquelle",
        ],
    ),
    (
        POST,
        &[
            " post ",
            " message ",
            " answer ",
            "answercell",
            " reply ",
            "comment",
            "postbody",
            "postcontent",
            "postbit",
            "messagebody",
            "messagecontent",
            "topicpost",
            "topicbody",
            "threadpost",
            "forumpost",
            "forumtext",
            " cooked ",
            "usertext",
            "postmessage",
            "posttext",
            "replybody",
            "replycontent",
            "postrow",
            "postcontainer",
        ],
    ),
    (
        PRODUCT,
        &[
            "productdescription",
            "productdetail",
            "productinfo",
            "productfeature",
            "productspec",
            "producttext",
            "productname",
            "producttitle",
            "productattribute",
            "productcontent",
            "description",
            "specification",
            "specs",
            " features ",
            "techspec",
            "datasheet",
            "shortdescription",
            "productsummary",
            "attributes",
            "productmain",
            "ingredients",
            "itemdescription",
            "productdata",
            "produktbeschreibung",
            "artikelbeschreibung",
            "beschreibung",
        ],
    ),
    (
        SHOPPING,
        &[
            " tax ",
            " shipping ",
            " delivery ",
            "availability",
            " stock ",
            "ordernumber",
            " sku ",
            "reassurance",
            "wishlist",
            " compare ",
            "tocompare",
            "towishlist",
            " reviews ",
            " review ",
            "productmeta",
            "buybox",
            "upsell",
            "crosssell",
            "crossselling",
            " quantity ",
            "minicart",
            "paymenticons",
            "deliveryblock",
            "trustbadge",
            "addtocart",
            "tocart",
            "addtobasket",
            "buybutton",
            "inthebasket",
            "alsobought",
            "similarities",
            "productrecommend",
            "featuredproducts",
            "productcarousel",
            "productslider",
            "recentlyviewed",
            "sizechart",
            "swatch",
            "financing",
            "bundle",
        ],
    ),
    (
        LEAD,
        &[
            " lead ",
            " lede ",
            " intro ",
            "introtext",
            " introduction ",
            "standfirst",
            " abstract ",
            "vorspann",
            " chapo ",
            " dek ",
            " deck ",
            "excerpt",
            "teasertext",
            " teaser ",
            " subline ",
            " subheadline ",
            "articlesummary",
            "leadtext",
            " sapo ",
            "sommario",
            "entradilla",
            " bajada ",
            " summary ",
            "articleintro",
            " ingress ",
            " synopsis ",
            " sottotitolo ",
            " subtitle ",
        ],
    ),
    (
        CART,
        &[
            "addtocart",
            "addtobasket",
            "tocart",
            "buybox",
            "btnbuy",
            "buybutton",
            "addcart",
            "warenkorb",
            "addtobag",
        ],
    ),
    (
        PANEL,
        &[
            " tabpanel ",
            "tabpane",
            "tabcontent",
            " accordion ",
            "accordioncontent",
            "collapse",
            "tabspanel",
        ],
    ),
    (
        POSTER,
        &[
            "postprofile",
            "postauthor",
            "userinfo",
            "userdetails",
            "usercard",
            "signature",
            " sig ",
            "messageuser",
            "messagesignature",
            "postsignature",
            "poster",
            "avatar",
            "userrank",
            "usertitle",
            "usergroup",
            "postcontrol",
            "postbutton",
            "posthead",
            "postnumber",
            "postfoot",
            "messageattribution",
            "messagefooter",
            "replybutton",
            "postmenu",
            "authorpostcount",
            "memberinfo",
            "bottomline",
        ],
    ),
];

static MATCHER: LazyLock<(AhoCorasick, Vec<Marks>)> = LazyLock::new(|| {
    let all = || {
        PATTERNS
            .iter()
            .flat_map(|(mark, patterns)| patterns.iter().map(move |pattern| (*mark, *pattern)))
    };
    let matcher =
        AhoCorasick::new(all().map(|(_, pattern)| pattern)).expect("patterns are few and short");
    (matcher, all().map(|(mark, _)| mark).collect())
});

/// Of every node, in order.
pub fn of_all(outline: &Outline<'_>) -> Vec<Marks> {
    let mut known = FxHashMap::default();
    let mut scratch = String::new();
    let of = |index: Index| {
        let node = &outline.nodes[index];
        let Some(element) = node.element.filter(|_| node.tag != Tag::Body) else {
            return 0;
        };
        let class = element.attribute("class").unwrap_or_default();
        let id = element.attribute("id").unwrap_or_default();
        let id = if is_slug(id) || matches!(node.tag, Tag::Heading(_)) {
            ""
        } else {
            id
        };
        let mut marks = 0;
        if !class.is_empty() || !id.is_empty() {
            marks = *known
                .entry((class, id))
                .or_insert_with(|| of_names(class, id, &mut scratch));
        }
        marks | of_attributes(element)
    };
    (0..outline.len()).map(of).collect()
}

/// What the class alone says: programs that write manuals make ids from headings.
pub fn of_class(class: &str) -> Marks {
    of_names(class, "", &mut String::new())
}

/// Many programs make the id of a section from the words of its heading.
fn is_slug(id: &str) -> bool {
    id.bytes()
        .filter(|byte| matches!(byte, b'-' | b'_' | b'.'))
        .count()
        >= 3
}

fn of_attributes(element: &Element) -> Marks {
    let mut marks = 0;
    for attribute in &element.attributes {
        let value = &*attribute.value;
        marks |= match &*attribute.name.local {
            "hidden" if !value.eq_ignore_ascii_case("until-found") => HIDDEN,
            "aria-hidden" if value.eq_ignore_ascii_case("true") => HIDDEN,
            "style" if hides(value) => HIDDEN,
            "role" => of_role(value),
            "itemprop" => of_property(value),
            "rel" if value.contains("author") || value.contains("tag") => BYLINE,
            "data-nosnippet" => 0,
            _ => 0,
        };
    }
    marks
}

fn of_role(role: &str) -> Marks {
    match role.trim() {
        "navigation" | "search" | "banner" | "contentinfo" | "menu" | "menubar" | "toolbar"
        | "dialog" | "alertdialog" | "tablist" | "complementary" | "button" => BESIDE,
        "article" | "main" => CONTENT,
        "tabpanel" => PANEL,
        _ => 0,
    }
}

fn of_property(property: &str) -> Marks {
    let has = |word: &str| {
        property
            .split_ascii_whitespace()
            .any(|other| other.eq_ignore_ascii_case(word))
    };
    if has("articleBody") {
        BODY
    } else if has("author") || has("datePublished") || has("dateModified") || has("keywords") {
        BYLINE
    } else if has("comment") {
        COMMENTS
    } else if has("description") {
        PRODUCT
    } else {
        0
    }
}

fn hides(style: &str) -> bool {
    let mut rest = style;
    while let Some(at) = rest.find(':') {
        let (name, value) = (rest[..at].trim(), rest[at + 1..].trim_start());
        let is = |wanted: &str| {
            value
                .get(..wanted.len())
                .is_some_and(|value| value.eq_ignore_ascii_case(wanted))
        };
        if name.eq_ignore_ascii_case("display") && is("none") {
            return true;
        }
        let Some(end) = rest.find(';') else { break };
        rest = &rest[end + 1..];
    }
    false
}

fn of_names(class: &str, id: &str, scratch: &mut String) -> Marks {
    scratch.clear();
    for name in [class, id]
        .into_iter()
        .flat_map(|names| cut(names).split_ascii_whitespace())
    {
        if is_of_page_builder(name) || is_state(name) {
            continue;
        }
        write_words(name, scratch);
        scratch.push_str(" \u{1} ");
        scratch.extend(
            name.chars()
                .filter(|c| !matches!(c, '-' | '_' | ':'))
                .map(|c| c.to_ascii_lowercase()),
        );
        scratch.push_str(" \u{1} ");
    }
    let (matcher, marks) = &*MATCHER;
    matcher
        .find_overlapping_iter(scratch.as_str())
        .fold(0, |found, hit| found | marks[hit.pattern().as_usize()])
}

/// Page builders wrap each paragraph of the text in a `widget`.
fn is_of_page_builder(name: &str) -> bool {
    ["elementor", "wpb_", "vc_", "fl-", "et_pb", "brz-"]
        .iter()
        .any(|builder| name.starts_with(builder))
}

/// `has-sidebar` and `no-comments` say what is elsewhere.
fn is_state(name: &str) -> bool {
    let is = |state: &str| {
        name.strip_prefix(state)
            .is_some_and(|rest| rest.starts_with(['-', '_']))
    };
    [
        "has",
        "no",
        "with",
        "without",
        "is",
        "hide",
        "layout",
        "page",
        "post-type",
        "type",
        "status",
    ]
    .into_iter()
    .any(is)
        || name.contains("--with-")
        || name.contains("--no-")
        || name.contains("--has-")
}

fn cut(names: &str) -> &str {
    &names[..names.floor_char_boundary(MOST_BYTES)]
}

/// `postContent-2` is ` post content `.
fn write_words(name: &str, words: &mut String) {
    words.push(' ');
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_lower && !words.ends_with(' ') {
            words.push(' ');
        }
        after_lower = c.is_ascii_lowercase();
        if c.is_alphabetic() {
            words.push(c.to_ascii_lowercase());
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
}
