import type { ModelPrice } from '../../wire/apis/models/modelList.ts';
import type { TokenPrice } from '../../wire/apis/models/tokenPrice.ts';

/** A short number of tokens: 128k for 128,000 and for 131,072, 1M for 1,048,576. */
export function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) {
    const millions = tokens % 1024 ** 2 === 0 ? tokens / 1024 ** 2 : tokens / 1_000_000;
    return `${Number(millions.toFixed(1))}M`;
  }
  if (tokens < 1000) return String(tokens);
  const thousands = tokens % 1000 !== 0 && tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000;
  return `${Math.round(thousands)}k`;
}

/** The prices of a million tokens of input and of output, such as `$0.15/$0.60`; an unknown one is a dash. */
export function shortTokenPrice({ input, output }: TokenPrice, language: string): string {
  const sides = output === 0 ? [input] : [input, output];
  return sides.map((side) => (side === undefined ? '–' : perMillion(side, language))).join('/');
}

/** The prices of a request and of a second, if the list contains them. */
export function shortPrice({ perRequest, perSecond }: ModelPrice, language: string) {
  return {
    ...(perRequest !== undefined && { perRequest: money(perRequest, language) }),
    ...(perSecond !== undefined && { perSecond: money(perSecond, language) }),
  };
}

/** The price of a million units, in US dollars, from the price of one. */
export function perMillion(price: number, language: string): string {
  return money(price * million, language);
}

/** A sum of money, which is never shown as 0 unless it is 0. */
export function costText(sum: number, language: string, currency = 'USD'): string {
  return sum > 0 && sum < minShown
    ? `<${money(minShown, language, currency)}`
    : money(sum, language, currency);
}

const minShown = 0.000_001;

const million = 1_000_000;

/** Rounds to the cent; below ten cents, to as many digits as distinguish two prices. */
function money(amount: number, language: string, currency = 'USD'): string {
  const exact = Number(amount.toPrecision(6));
  if (exact === 0 || exact >= 0.1)
    return formatter(language, currency, Number.isInteger(exact) ? 0 : 2, 2).format(exact);
  const most = Math.min(10, 1 - Math.floor(Math.log10(exact)));
  return formatter(language, currency, 2, most).format(exact);
}

/** Creating a formatter is slow, and a list needs the same one for thousands of prices. */
const formatters = new Map<string, Intl.NumberFormat>();

function formatter(
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
