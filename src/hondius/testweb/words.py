"""A small vocabulary in six languages, with the charsets of each."""

from random import Random
from typing import Final

import msgspec


class Language(msgspec.Struct, frozen=True):
    code: str
    words: tuple[str, ...]
    separator: str
    full_stop: str
    charsets: tuple[str, ...]
    """WHATWG names, in addition to UTF-8."""


def _make_language(
    code: str, words: str, charsets: tuple[str, ...], separator: str = " ", full_stop: str = ". "
) -> Language:
    return Language(code, tuple(words.split()), separator, full_stop, charsets)


LANGUAGES: Final = (
    _make_language(
        "en",
        """harbour river market winter garden letter bridge window copper silver engine village teacher morning island
        captain library measure shadow thunder orchard compass journal meadow kitchen station century winding paper
        gentle narrow ancient quiet golden rapid careful honest distant early wooden carries follows remembers finds
        builds opens describes between beyond under about whenever although because the of and to with from""",
        ("iso-8859-1", "utf-16"),
    ),
    _make_language(
        "de",
        """Hafen Fluß Märkte Winter Gärten Brücke Fenster Kupfer Silber Dörfer Lehrer Morgen Insel Bücherei Schatten
        Gewölbe Kompaß Wiese Küche Bahnhof Jahrhundert Straße Häuser Übung Öl schön ruhig golden früh weiß größer
        träumen finden öffnen führen erzählen zwischen über unter während obwohl der die das und mit von für zurück""",
        ("iso-8859-1",),
    ),
    _make_language(
        "fr",
        """rivière marché hiver jardin lettre fenêtre cuivre château village maître île bibliothèque mesure été forêt
        verger journal cuisine siècle papier étroit ancien doré prudent lointain où déjà après être porter décrire
        trouver élève façade leçon garçon naïve entre sous quand parce le la les des une avec pour très tôt""",
        ("iso-8859-1",),
    ),
    _make_language(
        "es",
        """río mercado invierno jardín carta ventana cobre pueblo maestra mañana isla capitán biblioteca sombra trueno
        brújula diario cocina estación siglo papel estrecho antiguo tranquilo dorado rápido cuidadoso lejano niño
        año corazón montaña canción lleva sigue recuerda construye entre bajo cuando aunque porque el la con para""",
        ("iso-8859-1",),
    ),
    _make_language(
        "ru",
        """гавань река рынок зима сад письмо мост окно медь серебро деревня учитель утро остров капитан библиотека мера
        тень гром компас журнал кухня станция век бумага узкий древний тихий золотой быстрый дальний ранний несёт
        следует помнит находит строит открывает между под над когда хотя потому и в на с из для объём""",
        ("windows-1251",),
    ),
    _make_language(
        "ja",
        """港町 川 市場 冬 庭園 手紙 橋 窓 銅 銀色 村 先生 朝 島 船長 図書館 影 雷 果樹園 羅針盤
        日記 台所 駅 世紀 紙 静か 古い 金色 早い 遠い は が を に で と から まで 見つける 開く 思い出す 建てる
        歩く 読む そして しかし もっと とても カメラ ノート""",
        ("shift_jis",),
        separator="",
        full_stop="。",
    ),
)

BY_CODE: Final = {language.code: language for language in LANGUAGES}

_SLUGS: Final = """
    amber anchor atlas barley basil birch cedar cider cobalt coral crane delta ember fable falcon fern flint garnet
    ginger hazel heron indigo ivory jasper juniper kelp lantern larch lichen lilac linden lotus maple marble marten
    mica moss nectar nettle nutmeg oak ochre olive onyx opal osprey otter pearl pebble pepper pine plover plum poppy
    quartz quince raven reed robin rowan saffron sage sedge slate sorrel sparrow spruce swift tansy teal thistle thyme
    topaz tulip umber velvet violet walnut willow wren yarrow zephyr
"""
SLUGS: Final = tuple(_SLUGS.split())
"""Words for paths. None is a number or repeats itself, so that an ordinary path never looks like a trap (F6)."""


class Topic(msgspec.Struct, frozen=True):
    language: str
    name: str
    words: tuple[str, ...]
    """No page of another topic has them, apart from a few."""


def _make_topic(language: str, name: str, words: str) -> Topic:
    return Topic(language, name, tuple(words.split()))


TOPICS: Final = (
    _make_topic("en", "maps", "atlas meridian engraver gazetteer surveyor projection cartouche hachure"),
    _make_topic("en", "bees", "beehive honeycomb apiary drones swarm smoker pollen propolis"),
    _make_topic("en", "stars", "telescope nebula parallax eclipse comet spectrum galaxy observatory"),
    _make_topic("en", "pots", "kiln glaze earthenware porcelain slipware potter stoneware firing"),
    _make_topic("de", "trains", "Dampflok Kuppelstange Drehscheibe Schwelle Stellwerk Weiche Tender Lokführer"),
    _make_topic("fr", "cheese", "fromage caillé présure affinage tomme brebis lactosérum crémier"),
    _make_topic("ru", "chess", "ладья ферзь гамбит эндшпиль рокировка цугцванг мат пешка"),
    _make_topic("ja", "tea", "抹茶 茶碗 茶筅 急須 煎茶 茶室 玉露 番茶"),
)


def make_slug(random: Random, words: int = 2) -> str:
    return "-".join(random.sample(SLUGS, words))


def make_phrase(random: Random, language: Language, words: int) -> str:
    return language.separator.join(random.choices(language.words, k=words))


def make_sentence(random: Random, language: Language) -> str:
    text = make_phrase(random, language, random.randint(6, 18))
    return text[0].upper() + text[1:] + language.full_stop
