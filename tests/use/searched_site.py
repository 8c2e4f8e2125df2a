"""A site to search: several languages, a copy, pages that ask for something."""

from tests.journeys.scripted_site import Answer, Script

UTF8 = ("Content-Type", "text/html; charset=utf-8")
TEXTS = {
    "/atlas": ("The old atlas", "en", "The plates of the atlas were bought in 1604, and its maps came to everyone."),
    "/shop": ("Maps & shoes", "en-GB", "This shop sells red shoes, old towns on paper, and nothing else at all."),
    "/ja": (
        "地図帳",
        "ja",
        "昔の世界地図帳は東京都の書店で売られていた。今は図書館にあり、誰でも静かに読むことができる。",
    ),
    "/zh": ("故宫", "zh", "北京欢迎你。故宫博物院今天开放，许多人在古老的地图前面停下来仔细观看。"),
    "/th": ("แผนที่", "th", "แผนที่โลกเก่าอยู่ในห้องสมุดของเมือง ทุกคนสามารถมาอ่านได้ทุกวันโดยไม่เสียเงิน"),
    "/ko": ("지도", "ko", "서울에서 오래된 지도를 샀습니다. 그 지도는 지금 도서관에 있고 누구나 볼 수 있습니다."),
}


def make_html(title: str, language: str, text: str, head: str = "", links: str = "") -> str:
    return (
        f'<html lang="{language}"><head><title>{title}</title>{head}</head><body><nav>Home</nav>'
        f"<main><h1>{title}</h1><p>{text}</p></main>{links}</body></html>"
    )


def make_site() -> Script:
    site: Script = {path: Answer(make_html(*page), headers=(UTF8,)) for path, page in TEXTS.items()}
    hidden = make_html("Hidden atlas", "en", "A secret atlas of towns.", '<meta name="robots" content="noindex">')
    reserved = make_html("Reserved atlas", "en", "An atlas whose owner reserves it for itself, and says so plainly.")
    site |= {
        "/copy": site["/atlas"],
        "/hidden": Answer(hidden, headers=(UTF8,)),
        "/reserved": Answer(reserved, headers=(UTF8, ("Content-Usage", "search=n"))),
        "/moved": Answer.redirect("/atlas"),
    }
    site["/"] = Answer.page(*site, "/missing")
    return site
