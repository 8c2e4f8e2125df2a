//! Words of class names and ids, and what they say about an element.
//!
//! Patterns are separated by blanks. An underscore is a boundary between two words: `_nav_` is the whole word `nav`, while
//! `sidebar` is found anywhere, also in `leftSidebarInner` and in `left-side-bar`.

use super::{
    BESIDE, BODY, BYLINE, CAPTION, CART, COMMENTS, CONSENT, CONTENT, DOUBTFUL, LEAD, Marks, PANEL,
    POST, POSTER, PRODUCT, SHOPPING, TEASER,
};

pub const PATTERNS: [(Marks, &str); 16] = [
    (BESIDE, BESIDE_NAMES),
    (BESIDE | CONSENT, CONSENT_NAMES),
    (DOUBTFUL, DOUBTFUL_NAMES),
    (COMMENTS, COMMENTS_NAMES),
    (BYLINE, BYLINE_NAMES),
    (BODY, BODY_NAMES),
    (CONTENT, CONTENT_NAMES),
    (TEASER, TEASER_NAMES),
    (CAPTION, CAPTION_NAMES),
    (LEAD, LEAD_NAMES),
    (POST, POST_NAMES),
    (POSTER, POSTER_NAMES),
    (PRODUCT, PRODUCT_NAMES),
    (SHOPPING, SHOPPING_NAMES),
    (CART, CART_NAMES),
    (PANEL, PANEL_NAMES),
];

const BESIDE_NAMES: &str = "\
    sidebar sidenav breadcrumb newsletter related recommend sharing sharebar sharebutton \
    sharelink sharethis socialshare socialmedia sociallinks socialicons sociable addthis addtoany sharedaddy \
    _shares_ navigation navbar navmenu _nav_ _navi_ _subnav_ _topnav_ _menu_ submenu pagination _pager_ _paging_ \
    skiplink skipto advert adsense adslot adcontainer googlead _ad_ _ads_ _dfp_ outbrain taboola sponsor subscribe \
    lightbox toolbar masthead mostread mostpopular popularpost trending readmore readnext nextpost prevpost \
    previouspost postnav authorbox userbio authorbio aboutauthor aboutheauthor abouttheauthor tagcloud printfooter \
    catlinks editsection jumplink _hideme_ _toplink_ backtotop noprint printonly widgetarea footer callout_cta _cta_ \
    calltoaction signup _login_ loginform searchform searchbox _vote_ _votes_ _likes_ yarpp crp_related zemanta \
    wpsocial _ssba_ _heateor_ shariff twitter_share tweetbutton flattr imprint copyright languageswitch langswitch \
    languageselect _lang_menu_ moreon morefrom morenews morestories morearticles youmaylike youmightlike alsolike \
    aehnlich empfehlung infobox_nav headerlink anchorlink crosslink infoline printlink articletools posttools \
    pagetools articleactions postactions pageactions quicklinks screenreader _sr_only_ sronly visuallyhidden \
    visually_hidden hiddenvisually offscreen relpost linkwithin jp_relatedposts nocontent wprp pageviews postviews \
    reprint syndication blogroll thumbnails navigator flyout tracklist_nav pinit rssfeed feedlink trackback pingback \
    _hatena_ bookmarks mailpoet mailchimp mcembed optin leadmagnet paid_content partnerlinks affiliate authorinfo \
    disclosure licenceinfo nextstory nextarticle prevarticle previousarticle articlenav commentform hideprint \
    hidecompletely wpcnt";

/// Also looked for in `aria-label`.
pub const CONSENT_NAMES: &str = "cookie consent gdpr";

const DOUBTFUL_NAMES: &str = "\
    _dialog_ _share_ _social_ promo subscription popup _modal_ _overlay_ banner _widget_ _widgets_ _search_ rating whatsapp \
    facebook disclaimer donate donation weitere permalink ticker _actions_ feedback _poll_ accessibility archivelist \
    postlist articlelist newslist _carousel_ slideshow _slider_ _gallery_ dropdown _rss_";

const COMMENTS_NAMES: &str = "\
    comment disqus _respond_ kommentar _replies_ _reply_ leserbrief commento livefyre _guestbook_ usercontribution \
    reactions";

const BYLINE_NAMES: &str = "\
    _byline_ byline _author_ _authors_ autor_ _dateline_ _date_ datetime timestamp pubdate publishdate publishedon \
    postdate entrydate articledate _published_ entrymeta postmeta articlemeta metadata postinfo entryinfo \
    articleinfo posted_on posttags articletags entrytags _tags_ _tag_ taglist tagslist _taxonomy_ _keywords_ \
    entryutility postcategories _categories_ _category_ catlist entryfooter postfooter articlefooter _credit_ \
    _credits_ photocredit imagecredit bildnachweis readingtime readtime modified_ lastupdated updatedat _vcard_ \
    authorinfo authorname authorcard contributor _meta_ _sources_ artsources pageinfo documentbyline source_link \
    _kicker_ _overline_ dachzeile ressort eyebrow";

const BODY_NAMES: &str = "\
    articlebody articletext articlecontent articlecopy articlemain articleinner entrycontent entrytext entrybody \
    postcontent postbody posttext postentry postcopy storybody storycontent storytext storycopy newstext newsbody \
    newscontent contentbody bodytext bodycontent bodycopy textbody contenttext blogcontent blogbody blogtext \
    singlecontent artikeltext artikelbody artikelinhalt richtext maintext fulltext textcontent nodecontent \
    pagecontent mwparseroutput mwcontenttext fieldnamebody fieldbody prose_ markdownbody rstcontent articlecontainer \
    contentarticle singlepostcontent themedocmarkdown bodymain";

const CONTENT_NAMES: &str = "\
    content _main_ _article_ _story_ _post_ _entry_ _inhalt_ _single_ _text_ hentry artikel maincol primary";

const TEASER_NAMES: &str = "\
    teaser _promo_ _card_ _cards_ _tile_ _tiles_ _excerpt_ preview headlinelist";

const CAPTION_NAMES: &str = "\
    caption bildunterschrift imagecopyright picturetext _legend_ imagesubtitle bildtext imagetext imagedescription \
    imagecredit photocredit bildquelle";

const LEAD_NAMES: &str = "\
    _lead_ _lede_ _intro_ introtext _introduction_ standfirst _abstract_ vorspann _chapo_ _dek_ _deck_ excerpt \
    teasertext _teaser_ _subline_ _subheadline_ articlesummary leadtext _sapo_ sommario entradilla _bajada_ \
    _summary_ articleintro _ingress_ _synopsis_ _sottotitolo_ _subtitle_";

const POST_NAMES: &str = "\
    _post_ _message_ _answer_ answercell _reply_ comment postbody postcontent postbit messagebody messagecontent \
    topicpost topicbody threadpost forumpost forumtext _cooked_ usertext postmessage posttext replybody replycontent \
    postrow postcontainer";

const POSTER_NAMES: &str = "\
    postprofile postauthor userinfo userdetails usercard signature _sig_ messageuser messagesignature postsignature \
    poster avatar userrank usertitle usergroup postcontrol postbutton posthead postnumber postfoot \
    messageattribution messagefooter replybutton postmenu authorpostcount memberinfo bottomline";

const PRODUCT_NAMES: &str = "\
    productdescription productdetail productinfo productfeature productspec producttext productname producttitle \
    productattribute productcontent description specification specs _features_ techspec datasheet shortdescription \
    productsummary attributes productmain ingredients itemdescription productdata produktbeschreibung \
    artikelbeschreibung beschreibung";

const SHOPPING_NAMES: &str = "\
    _tax_ _shipping_ _delivery_ availability _stock_ ordernumber _sku_ reassurance wishlist _compare_ tocompare \
    towishlist _reviews_ _review_ productmeta buybox upsell crosssell crossselling _quantity_ minicart paymenticons \
    deliveryblock trustbadge addtocart tocart addtobasket buybutton inthebasket alsobought similarities \
    productrecommend featuredproducts productcarousel productslider recentlyviewed sizechart swatch financing bundle";

const CART_NAMES: &str = "\
    addtocart addtobasket tocart buybox btnbuy buybutton addcart warenkorb addtobag";

const PANEL_NAMES: &str = "\
    _tabpanel_ tabpane tabcontent _accordion_ accordioncontent collapse tabspanel";
