"""Pages made worse: tags dropped, doubled, cut, moved, and everything inserted that steers a parser."""

import random

INSERTED = [
    "<svg><title>icon</title><path d='M0 0'/><a xlink:href='/svg'>x</a></svg>",
    "<svg><style>a{}</style><g><text>t</text></g>",
    "<svg><foreignObject><div><a href='/foreign'>f</a></div></foreignObject></svg>",
    "<math><mi>x</mi><mo>=</mo><annotation-xml encoding='text/html'><a href='/math'>m</a></annotation-xml></math>",
    "<template><a href='/template'>t</a><p>x</template>",
    "<select><option>1<option>2<a href='/select'>s</a></select>",
    "<noscript><img src=x><a href='/noscript'>n</a></noscript>",
    "<textarea><a href='/textarea'></textarea>",
    "<iframe src='/frame'><a href='/in-frame'></iframe>",
    "<script>document.write('<a href=\"/script\">')</script>",
    "<script><!-- <script> <a href='/escaped'> --></script>",
    "<!-- <a href='/comment'> -->",
    "<![CDATA[ <a href='/cdata'> ]]>",
    "<title>late <a href='/title'></title>",
    "<base href='/late/'>",
    "<table><a href='/foster'>f</a><tr><td>x</table>",
    "<p><b><p></b>",
    "<frameset><frame src='/frameset'></frameset>",
    "<plaintext>",
]


def mutate_page(page: str, chance: random.Random) -> str:
    pieces = page.replace("<", "\0<").replace(">", ">\0").split("\0")
    for _ in range(chance.randrange(1, 8)):
        place = chance.randrange(len(pieces))
        match chance.randrange(5):
            case 0:
                del pieces[place : place + chance.randrange(1, 3)]
            case 1:
                pieces.insert(place, chance.choice(INSERTED))
            case 2:
                pieces.insert(place, chance.choice(pieces))
            case 3:
                pieces[place] = pieces[place][: chance.randrange(len(pieces[place]) + 1)]
            case _:
                other = chance.randrange(len(pieces))
                pieces[place], pieces[other] = pieces[other], pieces[place]
    return "".join(pieces)
