//! The words that dates and counters are made of, in a dozen languages.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Month,
    Weekday,
    /// Part of a date, between its numbers: `of`, `de`, `th`, `年`.
    DatePart,
    /// Part of a time: `pm`, `Uhr`, `UTC`.
    TimePart,
    /// Says that a date is that of the page: `updated`, `published on`.
    Label,
    /// May come with a label or between it and the date: `on`, `at`, `the`.
    Filler,
    /// Names an author: `by`.
    By,
    /// A unit of time, as in `3 hours ago`.
    Unit,
    /// `ago`, `vor`, `hace`: with a number and a unit, a relative time.
    Ago,
    /// A unit and `ago` in one: `時間前`.
    UnitAgo,
    /// `yesterday`, `today`, `just now`.
    Day,
    /// What a counter counts: `views`, `comments`.
    Counted,
    /// The same, but it is often part of a text, too: `shares`, `votes`.
    PerhapsCounted,
    /// `k`, `million`, `万`.
    Multiple,
    /// Between a number and what it counts: `people`, `times`, `件`.
    Measure,
    /// `no` as in `no comments`.
    Zero,
    /// `copyright`, `©`.
    Copyright,
    Other,
}

/// The class of a word in lower case.
pub fn class_of(word: &[u8]) -> Class {
    match CLASSES.get(word) {
        Some(class) => *class,
        None => class_of_joined(word),
    }
}

/// Scripts without spaces write several words as one: `次浏览`, `发布于`.
fn class_of_joined(word: &[u8]) -> Class {
    if word.len() > LONGEST_JOINED || word.first().is_none_or(|first| *first < FIRST_JOINED) {
        return Class::Other;
    }
    let mut parts = JOINED
        .iter()
        .filter(|(part, _)| word.starts_with(part.as_bytes()) || word.ends_with(part.as_bytes()));
    parts.next().map_or(Class::Other, |(_, class)| *class)
}

/// The first byte of U+3000 in UTF-8: kana, Han and Hangul come after it.
const FIRST_JOINED: u8 = 0xE3;
const LONGEST_JOINED: usize = 24;

static CLASSES: LazyLock<FxHashMap<&'static [u8], Class>> = LazyLock::new(|| {
    let words = WORDS.iter();
    words
        .flat_map(|(class, words)| {
            words
                .split_whitespace()
                .map(|word| (word.as_bytes(), *class))
        })
        .collect()
});

/// The first one that begins or ends a word decides.
const JOINED: &[(&str, Class)] = &[
    ("小时前", Class::UnitAgo),
    ("小時前", Class::UnitAgo),
    ("分钟前", Class::UnitAgo),
    ("分鐘前", Class::UnitAgo),
    ("時間前", Class::UnitAgo),
    ("分前", Class::UnitAgo),
    ("秒前", Class::UnitAgo),
    ("天前", Class::UnitAgo),
    ("日前", Class::UnitAgo),
    ("周前", Class::UnitAgo),
    ("週間前", Class::UnitAgo),
    ("个月前", Class::UnitAgo),
    ("個月前", Class::UnitAgo),
    ("か月前", Class::UnitAgo),
    ("ヶ月前", Class::UnitAgo),
    ("年前", Class::UnitAgo),
    ("浏览", Class::Counted),
    ("瀏覽", Class::Counted),
    ("阅读", Class::Counted),
    ("閱讀", Class::Counted),
    ("观看", Class::Counted),
    ("觀看", Class::Counted),
    ("播放", Class::Counted),
    ("点击", Class::Counted),
    ("评论", Class::Counted),
    ("評論", Class::Counted),
    ("留言", Class::Counted),
    ("回复", Class::Counted),
    ("點閱", Class::Counted),
    ("点赞", Class::Counted),
    ("視聴", Class::Counted),
    ("閲覧", Class::Counted),
    ("再生", Class::Counted),
    ("コメント", Class::Counted),
    ("ビュー", Class::Counted),
    ("조회", Class::Counted),
    ("댓글", Class::Counted),
    ("发布", Class::Label),
    ("發布", Class::Label),
    ("更新", Class::Label),
    ("修改", Class::Label),
    ("发表", Class::Label),
    ("公開", Class::Label),
    ("投稿", Class::Label),
    ("掲載", Class::Label),
    ("日期", Class::Label),
    ("时间", Class::Label),
    ("時間", Class::Label),
    ("입력", Class::Label),
    ("수정", Class::Label),
    ("등록", Class::Label),
    ("게시", Class::Label),
];

const WORDS: &[(Class, &str)] = &[
    (
        Class::Month,
        "january february march april may june july august september october november december
        jan feb mar apr jun jul aug sep sept oct nov dec
        januar jänner februar märz mai juni juli oktober dezember mär okt dez
        janvier février mars avril juin juillet août septembre octobre novembre décembre janv févr avr juil déc
        enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr dic
        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre giu lug ott
        janeiro fevereiro março maio junho julho setembro outubro novembro dezembro fev
        januari februari maart mei augustus mrt
        stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
        января февраля марта апреля мая июня июля августа сентября октября ноября декабря
        янв фев мар апр июн июл авг сен окт ноя дек
        ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
        يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    ),
    (
        Class::Weekday,
        "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
        lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
        lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça quarta quinta sexta feira
        понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
        星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日
        月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 火 水 木 金 土 월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    ),
    (
        Class::DatePart,
        "of de del st nd rd th er ten den der the le o г года year 年 月 日 년 월 일 号 號 t z",
    ),
    (
        Class::TimePart,
        "am pm uhr utc gmt cet cest est edt cst cdt mst mdt pst pdt bst ist msk jst ч h hrs 时 時 点 分 秒 시 분 초 上午 下午 午前 午後
        오전 오후",
    ),
    (
        Class::Label,
        "updated update published publish posted post modified edited revised created added submitted released written
        date dated time today now currently generated retrieved accessed printed rendered crawled fetched checked
        reviewed uploaded lastmod
        veröffentlicht aktualisiert aktualisierung stand erstellt geändert änderung bearbeitet datum gepostet
        publié publiée mis màj modifié modifiée posté créé
        publicado publicada actualizado actualizada actualización fecha modificado modificada atualizado atualizada
        atualização data pubblicato pubblicata aggiornato aggiornata aggiornamento
        gepubliceerd bijgewerkt laatst opublikowano zaktualizowano aktualizacja dodano
        опубликовано опубликована обновлено обновлена обновление изменено дата добавлено размещено
        yayınlanma güncelleme tarih نشر النشر تحديث التحديث التاريخ تاريخ",
    ),
    (
        Class::Filler,
        "last on at in was is as page this to from first original originally publication article entry edition since
        um im zuletzt letzte letzter vom zum à jour dernière mise en el la a las última ultima vez por às em il alle op om
        в от последнее на",
    ),
    (
        Class::By,
        "by von par por di door przez автор autor author auteur autore 作者 记者 文 撰文 기자",
    ),
    (
        Class::Unit,
        "second seconds sec secs minute minutes min mins hour hours hr hrs day days week weeks month months year years
        sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren
        seconde secondes heure heures jour jours semaine semaines mois an ans
        segundo segundos minuto minutos hora horas día días dia dias semana semanas mes meses mês año años ano anos
        minuti ora ore giorno giorni settimana settimane mese mesi anno anni
        d w y s wk wks yr yrs 시간 개월 주 uur uren dagen weken maand maanden jaar
        секунд секунды секунду минут минуты минуту час часа часов день дня дней неделю недели недель месяц месяца месяцев
        лет год года",
    ),
    (
        Class::Ago,
        "ago vor hace há fa geleden назад temu önce منذ 전",
    ),
    (
        Class::UnitAgo,
        "시간전 분전 일전",
    ),
    (
        Class::Day,
        "yesterday today tomorrow gestern heute hier aujourd ayer hoy ieri oggi ontem hoje вчера сегодня 今天 昨天 今日 昨日
        어제 오늘",
    ),
    (
        Class::Counted,
        "view views viewed pageviews comment comments viewers
        aufruf aufrufe ansichten kommentar kommentare kommentaren seitenaufrufe
        vue vues commentaire commentaires vistas visualizaciones comentario comentarios comentário comentários
        visualizações visualizzazioni commento commenti weergaven reacties reactie
        wyświetleń wyświetlenia odsłon komentarz komentarze komentarzy
        просмотр просмотра просмотры просмотров комментарий комментария комментарии комментариев
        görüntülenme yorum مشاهدة مشاهدات تعليق تعليقات 浏览量 阅读量 조회수 댓글수",
    ),
    (
        Class::PerhapsCounted,
        "like likes share shares reply replies response responses answer answers read reads hit hits vote votes upvotes
        retweets reposts visit visits visitor visitors readers follower followers download downloads online watching reaction
        reactions favorites favourites bookmarks
        antwort antworten gelesen leser besucher zugriffe réponses réponse lectures visites partages respuestas respuesta
        lecturas visitas respostas leituras risposte letture condivisioni antwoorden
        odpowiedzi ответ ответа ответов лайк лайков прочтений",
    ),
    (
        Class::Multiple,
        "k m mio tsd mil thousand million тыс млн 万 萬 亿 億 천 만",
    ),
    (
        Class::Measure,
        "people person times users user x mal fois veces раз 次 件 件の 条 條 回 人 个 個 명 개 회 건",
    ),
    (
        Class::Zero,
        "no one zero a an keine ein aucun un sin ningún nessun нет",
    ),
    (
        Class::Copyright,
        "copyright ©",
    ),
];
