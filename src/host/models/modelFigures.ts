import type { ModelPrice } from '../../wire/apis/models/modelList.ts';
import type { TokenPrice } from '../../wire/apis/models/tokenPrice.ts';

/** A number of tokens, rounded: 128k for 128,000 and for 131,072, 1M for 1,048,576. */
export function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) {
    const millions = tokens % 1024 ** 2 === 0 ? tokens / 1024 ** 2 : tokens / 1_000_000;
    return `${Number(millions.toFixed(1))}M`;
  }
  if (tokens < 1000) return String(tokens);
  const thousands = tokens % 1000 !== 0 && tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000;
  return `${Math.round(thousands)}k`;
}

/**
 * The prices of a million tokens of input and of output, such as `$0.15/$0.60`. An unknown price is a dash. A free
 * output is omitted.
 */
export function shortTokenPrice({ input, output }: TokenPrice, language: string): string {
  const sides = output === 0 ? [input] : [input, output];
  return sides.map((side) => (side === undefined ? '–' : perMillion(side, language))).join('/');
}

/** The prices of a request and of a second, if the list contains them. */
export function shortPrice({ perRequest, perSecond }: ModelPrice, language: string) {
  return {
    ...(perRequest !== undefined && { perRequest: formatMoney(perRequest, language) }),
    ...(perSecond !== undefined && { perSecond: formatMoney(perSecond, language) }),
  };
}

/**
 * The price of a million tokens in US dollars.
 *
 * @param price of one token
 */
export function perMillion(price: number, language: string): string {
  return formatMoney(price * million, language);
}

/** A sum of money. A very small sum is shown as `<$0.000001`, and not as 0. */
export function costText(sum: number, language: string, currency = 'USD'): string {
  return sum > 0 && sum < minShown
    ? `<${formatMoney(minShown, language, currency)}`
    : formatMoney(sum, language, currency);
}

const minShown = 0.000_001;

const million = 1_000_000;

/** Rounds to the cent; below ten cents, to two significant digits. */
function formatMoney(amount: number, language: string, currency = 'USD'): string {
  const exact = Number(amount.toPrecision(6));
  if (exact === 0 || exact >= 0.1)
    return currencyFormatter(language, currency, Number.isInteger(exact) ? 0 : 2, 2).format(exact);
  const maxDigits = Math.min(10, 1 - Math.floor(Math.log10(exact)));
  return currencyFormatter(language, currency, 2, maxDigits).format(exact);
}

/** Cached, because creating a formatter is slow and a list formats thousands of prices. */
const formatters = new Map<string, Intl.NumberFormat>();

function currencyFormatter(
  language: string,
  currency: string,
  minDigits: number,
  maxDigits: number,
): Intl.NumberFormat {
  const key = `${language} ${currency} ${minDigits} ${maxDigits}`;
  const cached = formatters.get(key);
  if (cached) return cached;
  const created = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: currency === 'USD' ? 'narrowSymbol' : 'symbol',
    minimumFractionDigits: minDigits,
    maximumFractionDigits: Math.max(minDigits, maxDigits),
  });
  formatters.set(key, created);
  return created;
}
