//! Headings of sections that are not text of the page: recommendations, invitations, comments.

/// One phrase between bars or at a line of its own. English first, then German, French, Spanish with Portuguese and Italian,
/// Dutch to Scandinavian, and others.
pub const HEADINGS: &str = "
related|you may also|you might also|you may like|more from|more on this|more stories|more news|more articles
more like this|read more|read next|read also|also read|recommended|popular posts|most popular|most read|trending
latest news|latest posts|recent posts|recent comments|share this|share on|about the author|leave a reply
leave a comment|leave a response|post a comment|comments|join the conversation|follow us|subscribe|sign up
newsletter|advertisement|sponsored|up next|what do you think|tags|filed under|post navigation|previous post
next post|similar articles|similar posts|customers also|people also|you'll also|don't miss|in this series
keep reading|contact us|get in touch|stay up to date|stay informed|support us|press contact|media contact
mehr zum thema|mehr zu|mehr aus|mehr von|mehr über|mehr infos|mehr informationen|weitere informationen
weiterführende|weitere artikel|weitere themen|weitere beiträge|weitere meldungen|weitere nachrichten
weitere news|weitere links|weitere infos|weitere produkte|das könnte|auch interessant|auch spannend
lesen sie auch|lesen sie mehr|lesen sie weiter|lies auch|lest auch|passend zum thema|passend dazu|zum thema
ähnliche|verwandte|artikel teilen|beitrag teilen|teile diesen|teilen|über den autor|über die autorin|zum autor
zur autorin|kommentare|kommentar schreiben|schreibe einen kommentar|schreiben sie einen kommentar|hinterlasse
diskussion|schlagworte|schlagwörter|schlagwort|stichwörter|stichworte|pressekontakt|ansprechpartner|anzeige
werbung|folge uns|folgen sie uns|jetzt abonnieren|empfehlungen|empfohlen|meistgelesen|meist gelesen|neueste
neuste|aktuelle beiträge|kunden kauften|kunden haben|beliebte|unsere empfehlung|links zum|verwandtes
interessante artikel|mit unserem newsletter
à lire aussi|lire aussi|lire la suite|sur le même sujet|sur le même thème|articles similaires|articles liés
articles récents|partager|partagez|commentaires|laisser un commentaire|à propos de l'auteur|publicité|voir aussi
abonnez-vous|suivez-nous|vous aimerez|vous pourriez|les plus lus|dans la même
temas relacionados|te puede interesar|te podría|también te puede|le puede interesar|lea también|lee también
leé también|leer más|relacionad|noticias relacionadas|artículos relacionados|compartir|comparte|comentarios
publicidad|síguenos|siguenos|suscríbete|puedes ver|mirá también|mira también|más noticias|etiquetas|más leídas
lo más|leia também|leia mais|veja também|compartilhe|publicidade|comentários|notícias relacionadas|leggi anche
articoli correlati|potrebbe interessarti|potrebbero interessarti|condividi|commenti|pubblicità|iscriviti
lees ook|lees meer|deel dit|reacties|gerelateerd|advertentie|czytaj także|czytaj też|zobacz także|zobacz też
czytaj więcej|powiązane|polecane|polecamy|udostępnij|komentarze|reklama|čtěte také|související|läs mer|läs också
läs även|les også|læs også|annons|relaterade|relaterte
читайте также|по теме|комментарии|похожие|поделиться|ilgili haberler|yorumlar|関連記事|関連ニュース|おすすめ|相关阅读|相关新闻|相關|推荐阅读
διαβάστε επίσης|σχετικά άρθρα
";
