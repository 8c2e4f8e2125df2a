//! The currency of a price: its code of three letters, or what a symbol usually means.

const CODES: [&str; 45] = [
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP",
    "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "MAD", "MXN",
    "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PKR", "PLN", "RON", "RSD", "RUB", "SAR", "SEK",
    "SGD", "THB", "TRY", "TWD", "UAH", "USD",
];
/// Longer ones first: `$` is part of others. A krona may be that of four countries, so it is not here.
const SYMBOLS: [(&str, &str); 24] = [
    ("US$", "USD"),
    ("CA$", "CAD"),
    ("AU$", "AUD"),
    ("NZ$", "NZD"),
    ("HK$", "HKD"),
    ("C$", "CAD"),
    ("A$", "AUD"),
    ("R$", "BRL"),
    ("S$", "SGD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("$", "USD"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₽", "RUB"),
    ("₩", "KRW"),
    ("₺", "TRY"),
    ("₴", "UAH"),
    ("₪", "ILS"),
    ("₱", "PHP"),
    ("฿", "THB"),
    ("zł", "PLN"),
    ("Kč", "CZK"),
    ("Fr.", "CHF"),
];

/// `None` if the text names none.
pub fn find(text: &str) -> Option<&'static str> {
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    let code = words.find_map(|word| CODES.iter().find(|code| **code == word));
    let symbol = || SYMBOLS.iter().find(|(symbol, _)| text.contains(symbol));
    code.copied().or_else(|| symbol().map(|(_, code)| *code))
}
