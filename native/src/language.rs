//! Detects the language of a text, by its letters and trigrams.

use whatlang::Lang;

/// Bytes that are examined. More would cost more and hardly change the result.
pub const SAMPLE_BYTES: usize = 1024;

/// The ISO 639-1 code of the language of `text`; empty if it is uncertain.
pub fn detect(text: &str) -> &'static str {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    whatlang::detect(sample)
        .filter(whatlang::Info::is_reliable)
        .map_or("", |found| two_letters(found.lang()))
}

fn two_letters(language: Lang) -> &'static str {
    match language {
        Lang::Afr => "af",
        Lang::Aka => "ak",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Cym => "cy",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jav => "jv",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "nb",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Sna => "sn",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "tl",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_enough_to_tell_a2() {
        for (language, text) in [
            (
                "en",
                "The map of the world was engraved on copper plates, and the plates were sold to another house in Amsterdam.",
            ),
            (
                "de",
                "Die Karte der Welt wurde in Kupferplatten gestochen, und die Platten wurden an ein anderes Haus in Amsterdam verkauft.",
            ),
            (
                "fr",
                "La carte du monde fut gravée sur des plaques de cuivre, et les plaques furent vendues à une autre maison.",
            ),
            (
                "nl",
                "De kaart van de wereld werd in koperen platen gegraveerd, en de platen werden aan een ander huis verkocht.",
            ),
            (
                "ru",
                "Карта мира была выгравирована на медных досках, и доски были проданы другому дому в Амстердаме.",
            ),
            (
                "ja",
                "世界地図は銅版に刻まれ、その版はアムステルダムの別の家に売られました。",
            ),
            (
                "zh",
                "世界地图刻在铜版上，铜版后来卖给了阿姆斯特丹的另一家商行。",
            ),
            (
                "ko",
                "세계 지도는 동판에 새겨졌고 그 판은 암스테르담의 다른 집에 팔렸다.",
            ),
            (
                "ar",
                "نقشت خريطة العالم على ألواح من النحاس ثم بيعت الألواح إلى بيت آخر في أمستردام",
            ),
        ] {
            assert_eq!(detect(text), language, "{text}");
        }
    }

    #[test]
    fn what_is_not_sure_is_left_open() {
        for text in ["", "12:45 – 13:10", "ok", "<>&", "a b c"] {
            assert_eq!(detect(text), "", "{text}");
        }
        let text = "ž".repeat(2000);
        assert!(detect(&text).len() <= 2);
    }
}
