//! A number made simpler: toward 0, fewer digits, a smaller magnitude.
//!
//! In: the text of a JSON number, or of a run of digits, and a way to try another text in its place. Out: the
//! last form accepted and its text. Numbers are never computed in floating point.

use super::plan::{Bisect, Drop, Each, First};
use super::session::{Form, Session, Step};

/// A form with another number in its place.
pub(crate) type Make<'m, F> = &'m dyn Fn(&[u8]) -> Option<F>;

/// Magnitudes above are not bisected to the last digit: it would take many questions, and a value just past a
/// limit tells little where it has that many digits.
const BISECTED_MAX: u128 = 1 << 24;
/// Decimals looked at.
const DECIMALS_MAX: usize = 6;

/// Searches for a simpler number than `text`.
pub(crate) fn shrink<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: Make<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    let mut found: Option<(F, Vec<u8>)> = None;
    let now = |found: &Option<(F, Vec<u8>)>| found.as_ref().map_or(text.to_vec(), |(_, text)| text.clone());
    if let Some(new) = first(session, simple(text), make)? {
        found = Some(new);
    }
    if let Some((sign, magnitude)) = integer(&now(&found)) {
        if let Some(new) = bisect(session, sign, magnitude, make)? {
            found = Some(new);
        }
        if let Some((sign, magnitude)) = integer(&now(&found))
            && magnitude >= 10
            && (magnitude > BISECTED_MAX
                || first(session, vec![written(sign, magnitude - 2)], make)?.is_some())
        {
            // Accepted below what bisection found: the property is of the digits, not of the size.
            let text = written(sign, magnitude);
            if let Some(new) = digits(session, sign, &text[sign.len()..], make)? {
                found = Some(new);
            }
        }
    } else if let Some(new) = characters(session, &now(&found), make)? {
        found = Some(new);
    }
    Ok(found)
}

/// Tries only what a number that was searched before may have become able to be.
pub(crate) fn probe<F: Form>(
    session: &mut Session,
    text: &[u8],
    make: Make<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    let mut all = vec![b"0".to_vec()];
    match integer(text) {
        Some((sign, magnitude)) => {
            let shorter = 10_u128.checked_pow(magnitude.checked_ilog10().unwrap_or(0)).unwrap_or(1) - 1;
            all.extend([written(sign, magnitude / 2), written(sign, shorter)]);
            if !sign.is_empty() {
                all.push(written(b"", magnitude));
            }
        }
        None => all.extend(simple(text).into_iter().take(4)),
    }
    all.retain(|new| new.len() <= text.len() && new != text);
    first(session, all, make)
}

fn first<F: Form>(session: &mut Session, all: Vec<Vec<u8>>, make: Make<F>) -> Step<Option<(F, Vec<u8>)>> {
    let mut plan = First::of(all.clone());
    let form = session.run(&mut plan, &|text: &Vec<u8>| make(text))?;
    Ok(form.zip(plan.found.map(|at| all[at].clone())))
}

fn bisect<F: Form>(
    session: &mut Session,
    sign: &[u8],
    high: u128,
    make: Make<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    // Half a step above the limit the digits are searched instead.
    let low = if high > BISECTED_MAX { None } else { Some(1) };
    let mut plan = Bisect::between(low.unwrap_or(high), high);
    let form = session.run(&mut plan, &|magnitude| make(&written(sign, *magnitude)))?;
    Ok(form.map(|form| (form, written(sign, plan.high))))
}

/// Drops digits, then lowers each to 0.
fn digits<F: Form>(
    session: &mut Session,
    sign: &[u8],
    text: &[u8],
    make: Make<F>,
) -> Step<Option<(F, Vec<u8>)>> {
    let signed = |digits: Vec<u8>| {
        let legal = !digits.is_empty() && (digits[0] != b'0' || digits.len() == 1);
        legal.then(|| [sign, &digits].concat())
    };
    let mut plan = Drop::of(text.len(), usize::MAX);
    let pick = |items: &mut dyn Iterator<Item = usize>| signed(items.map(|at| text[at]).collect());
    let make_fewer = |kept: &super::plan::Kept| {
        let text = pick(&mut kept.items())?;
        Some((make(&text)?, text))
    };
    let mut found = session.run(&mut plan, &|kept| make_fewer(kept).map(Spelt))?.map(|spelt| spelt.0);
    let text = found.as_ref().map_or(text.to_vec(), |(_, text)| text[sign.len()..].to_vec());
    let mut plan = Each::of(text.len());
    let make_lower = |zeros: &Vec<usize>| {
        let mut text = text.clone();
        zeros.iter().for_each(|&at| text[at] = b'0');
        let text = signed(text)?;
        Some(Spelt((make(&text)?, text)))
    };
    if let Some(Spelt(new)) = session.run(&mut plan, &make_lower)? {
        found = Some(new);
    }
    Ok(found)
}

/// Drops characters of a number that is no integer.
fn characters<F: Form>(session: &mut Session, text: &[u8], make: Make<F>) -> Step<Option<(F, Vec<u8>)>> {
    let mut plan = Drop::of(text.len(), usize::MAX);
    let make = |kept: &super::plan::Kept| {
        let text: Vec<u8> = kept.items().map(|at| text[at]).collect();
        let legal = crate::shapes::is_number(&text);
        legal.then(|| make(&text)).flatten().map(|form| Spelt((form, text)))
    };
    Ok(session.run(&mut plan, &make)?.map(|spelt| spelt.0))
}

/// A form and the number's text in it.
struct Spelt<F>((F, Vec<u8>));

impl<F: Form> Form for Spelt<F> {
    fn bytes(&self) -> Vec<u8> {
        self.0.0.bytes()
    }
}

/// The sign and the magnitude of an integer without an exponent.
fn integer(text: &[u8]) -> Option<(&'static [u8], u128)> {
    let (sign, digits): (&[u8], _) = match text.strip_prefix(b"-") {
        Some(digits) => (b"-", digits),
        None => (b"", text),
    };
    let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
    Some((sign, std::str::from_utf8(digits).ok()?.parse().ok()?))
}

fn written(sign: &[u8], magnitude: u128) -> Vec<u8> {
    [sign, magnitude.to_string().as_bytes()].concat()
}

/// Spellings simpler than `text`, the shortest first: 0, 1, fewer decimals down and up, other signs.
fn simple(text: &[u8]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![b"0".to_vec(), b"1".to_vec()];
    let negative = text.first() == Some(&b'-');
    let sign: &[u8] = if negative { b"-" } else { b"" };
    if negative {
        all.push(b"-1".to_vec());
        all.push(text[1..].to_vec());
    }
    let body = &text[sign.len()..];
    let exponent = body.iter().position(|b| matches!(b, b'e' | b'E'));
    let (mantissa, exponent) = body.split_at(exponent.unwrap_or(body.len()));
    let (whole, decimals) = match mantissa.iter().position(|&b| b == b'.') {
        Some(dot) => (&mantissa[..dot], &mantissa[dot + 1..]),
        None => (mantissa, &b""[..]),
    };
    if !exponent.is_empty() {
        all.extend([
            [sign, b"1", exponent].concat(),
            [sign, mantissa].concat(),
            [sign, whole, exponent].concat(),
        ]);
    } else if !decimals.is_empty() {
        for kept in 0..decimals.len().min(DECIMALS_MAX) {
            let scaled: Option<u128> =
                std::str::from_utf8(&[whole, &decimals[..kept]].concat()).ok().and_then(|t| t.parse().ok());
            let Some(scaled) = scaled else { continue };
            for scaled in [scaled, scaled.saturating_add(1), 1] {
                all.push([sign, &decimal(scaled, kept)].concat());
            }
        }
    }
    let mut seen = Vec::new();
    all.retain(|new| {
        let fresh = new.len() <= text.len() && new != text && !seen.contains(new);
        seen.push(new.clone());
        fresh
    });
    all.sort_by_key(Vec::len);
    all
}

/// `scaled` with its last `decimals` digits behind the point, ending zeros left out.
fn decimal(scaled: u128, decimals: usize) -> Vec<u8> {
    let digits = format!("{scaled:0>width$}", width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() { whole.as_bytes().to_vec() } else { format!("{whole}.{rest}").into_bytes() }
}
