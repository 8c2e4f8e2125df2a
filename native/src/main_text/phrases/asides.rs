//! Beginnings of lines that are not text of the page: credits, dates, tags, advertising, links to other pages.

/// One phrase between bars or at a line of its own, language by language.
pub const ASIDES: &str = "
read more|read also|also read|read next|see also:|related:|more:|recommended:|watch:|photo:|photos:|image:
images:|picture:|source:|sources:|credit:|image credit|photo credit|photo by|filed under|tags:|tagged|posted in
posted by|posted on|published:|published on|updated:|last updated|categories:|category:|share this|share:
follow us|follow me|subscribe|click here to|sign up|advertisement|sponsored|this article was originally
this post contains|all rights reserved|©|copyright|back to top|print this|permalink|lesen sie auch
lesen sie hier|lesen sie mehr|lesen sie dazu|lies auch|lest auch|lesetipp|mehr zum thema|mehr dazu|weiterlesen
siehe auch:|auch interessant|auch spannend|foto:|fotos:|bild:|bilder:|bildquelle|bildnachweis|quelle:|quellen:
titelbild:|veröffentlicht|aktualisiert|stand:|schlagwörter|schlagworte|tags|kategorien:|kategorie:|anzeige
- anzeige|werbung|folge uns|folgen sie uns|zurück zur|zurück|zur übersicht|nach oben|drucken|teilen|autor:|von:
text:|à lire aussi|lire aussi|lire la suite|crédit|photo :|publicité|partager|abonnez-vous|lea también
lee también|leer también|te puede interesar|mira también|mirá también|publicidad|síguenos|siguenos|fuente:
foto :|puedes ver|leia também|leia mais|veja também|publicidade|leggi anche|fonte:|pubblicità|lees ook|bron:
czytaj także|czytaj też|czytaj więcej|zobacz także|zobacz też|źródło|reklama|fot.|läs mer|läs också|läs även
les også|læs også|читайте также|источник:|фото:|関連記事|写真:|来源:|責任編輯|责任编辑
";

/// These count anywhere in a short line.
pub const ANYWHERE: &str = "newsletter|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos";
