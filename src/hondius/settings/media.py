"""File extensions and content types: read by default, skipped, or added by `scope.media`, `scope.scripts` and
`scope.requisites`."""

SKIPPED_EXTENSIONS = tuple(
    "7z aac aif apk app avi avif bin bmp bz2 cab css deb dll dmg doc docx eot eps exe flac flv gif gz ico img iso jar "
    "jpeg jpg js m4a m4v mid mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps psd rar rm rpm "
    "svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff woff2 xls xlsx xz zip zst".split()
)
HTML_TYPES = ("text/html", "application/xhtml+xml")
READ_TYPES = (
    *HTML_TYPES,
    "text/plain",
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
)


MEDIA_EXTENSIONS = frozenset(
    "aac aif avi avif bmp doc docx eps flac flv gif ico jpeg jpg m4a m4v mid mkv mov mp3 mp4 mpeg mpg odp ods odt ogg "
    "ogv pdf png ppt pptx ps rm svg tif tiff wav webm webp wma wmv xls xlsx".split()
)
MEDIA_TYPES = (
    "image/*",
    "audio/*",
    "video/*",
    "application/pdf",
    "application/postscript",
    "application/rtf",
    "text/rtf",
    "application/epub+zip",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
)
SCRIPT_EXTENSIONS = frozenset({"js"})
SCRIPT_TYPES = (
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "text/ecmascript",
)


REQUISITE_TYPES = (
    "text/css",
    "image/*",
    "font/*",
    "application/font-woff",
    "application/vnd.ms-fontobject",
    *SCRIPT_TYPES,
)
"""Types of what a page needs to be shown. Requisites of other types are kept, too; these are kept wherever they are."""


class ContentTypes(frozenset[str]):
    """Content types that are read. `image/*` matches every image type. An empty set matches every type."""

    def __contains__(self, kind: object) -> bool:
        return super().__contains__(kind) or super().__contains__(f"{str(kind).partition('/')[0]}/*")
