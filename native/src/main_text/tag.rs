//! What an element is to the extraction, by its name.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Text,
    Body,
    /// A block without a meaning of its own: `div`, `section`, `details`…
    Division,
    Section,
    Noscript,
    Article,
    Main,
    Header,
    Footer,
    Nav,
    Aside,
    Form,
    Figure,
    FigureCaption,
    Paragraph,
    Heading(u8),
    List,
    OrderedList,
    Item,
    Definitions,
    Term,
    Definition,
    Table,
    Caption,
    TablePart,
    Row,
    Cell,
    HeaderCell,
    Preformatted,
    Quote,
    Rule,
    Break,
    A,
    Strong,
    Emphasis,
    Deleted,
    Subscript,
    Superscript,
    Code,
    Image,
    Button,
    Label,
    Time,
    Address,
    Details,
    Summary,
    /// Text flows through it: `span`, `font`, an unknown element…
    Inline,
}

impl Tag {
    /// `None`: nothing in it is text that people read.
    pub fn of(name: &str) -> Option<Tag> {
        Some(match name {
            "script" | "style" | "rt" | "template" | "head" | "title" | "iframe" | "object"
            | "embed" | "applet" | "audio" | "video" | "canvas" | "map" | "select" | "datalist"
            | "textarea" | "input" | "dialog" | "noframes" | "noembed" | "meta" | "link"
            | "base" | "param" | "source" | "track" | "progress" | "meter" | "rp" | "optgroup"
            | "option" => return None,
            "body" => Tag::Division,
            "div" | "center" | "fieldset" | "legend" | "hgroup" | "search" | "html" => {
                Tag::Division
            }
            "noscript" => Tag::Noscript,
            "section" => Tag::Section,
            "article" => Tag::Article,
            "main" => Tag::Main,
            "header" => Tag::Header,
            "footer" => Tag::Footer,
            "nav" => Tag::Nav,
            "aside" => Tag::Aside,
            "form" => Tag::Form,
            "figure" => Tag::Figure,
            "figcaption" => Tag::FigureCaption,
            "p" => Tag::Paragraph,
            "h1" => Tag::Heading(1),
            "h2" => Tag::Heading(2),
            "h3" => Tag::Heading(3),
            "h4" => Tag::Heading(4),
            "h5" => Tag::Heading(5),
            "h6" => Tag::Heading(6),
            "ul" | "menu" | "dir" => Tag::List,
            "ol" => Tag::OrderedList,
            "li" => Tag::Item,
            "dl" => Tag::Definitions,
            "dt" => Tag::Term,
            "dd" => Tag::Definition,
            "table" => Tag::Table,
            "caption" => Tag::Caption,
            "thead" | "tbody" | "tfoot" => Tag::TablePart,
            "tr" => Tag::Row,
            "td" => Tag::Cell,
            "th" => Tag::HeaderCell,
            "pre" | "listing" | "xmp" | "plaintext" => Tag::Preformatted,
            "blockquote" => Tag::Quote,
            "hr" => Tag::Rule,
            "br" => Tag::Break,
            "a" => Tag::A,
            "b" | "strong" => Tag::Strong,
            "i" | "em" | "cite" | "dfn" => Tag::Emphasis,
            "del" | "s" | "strike" => Tag::Deleted,
            "sub" => Tag::Subscript,
            "sup" => Tag::Superscript,
            "code" | "tt" | "kbd" | "samp" => Tag::Code,
            "img" | "picture" => Tag::Image,
            "button" => Tag::Button,
            "label" => Tag::Label,
            "time" => Tag::Time,
            "address" => Tag::Address,
            "details" => Tag::Details,
            "summary" => Tag::Summary,
            _ => Tag::Inline,
        })
    }

    /// Its text is not part of a line that began before it.
    pub fn is_block(self) -> bool {
        !matches!(
            self,
            Tag::Text
                | Tag::A
                | Tag::Strong
                | Tag::Emphasis
                | Tag::Deleted
                | Tag::Subscript
                | Tag::Superscript
                | Tag::Code
                | Tag::Image
                | Tag::Break
                | Tag::Button
                | Tag::Label
                | Tag::Time
                | Tag::Inline
        )
    }

    /// It holds other blocks, and a page's author uses it to lay out the page.
    pub fn is_container(self) -> bool {
        matches!(
            self,
            Tag::Body
                | Tag::Division
                | Tag::Section
                | Tag::Noscript
                | Tag::Article
                | Tag::Main
                | Tag::Header
                | Tag::Form
                | Tag::Cell
                | Tag::Table
                | Tag::TablePart
                | Tag::Row
                | Tag::Details
        )
    }
}
