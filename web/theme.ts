import { settings } from '../lib/settings/settings.ts';

/** Colour of buttons and links, and the text colour on it, as `#rrggbb`. */
export type Accent = { accent: string; onAccent: string };

type Rgb = [red: number, green: number, blue: number];
/** A colour in OKLCH (CSS Color 4): lightness 0 to 1, chroma, and hue in radians. */
type Oklch = { lightness: number; chroma: number; hue: number };

/** Minimum contrast of text (WCAG 2.2, success criterion 1.4.3). */
const minContrast = 4.5;
const lightnessStep = 0.005;
/** The backgrounds in style/tokens.css with the worst contrast: raised in light mode, menus in dark mode. */
const lightGround = '#eff1f4';
const darkSheet = '#1c1f25';
const white = '#ffffff';
const nearBlack = '#0a0d12';
const usual: { light: Accent; dark: Accent } = {
  light: { accent: '#2154c5', onAccent: white },
  dark: { accent: '#88b2f7', onAccent: '#0a1a33' },
};

/** Accents of light and dark mode. They keep the hue of a colour, and its lightness if the contrast allows it. */
export function accentsOf(color: string): { light: Accent; dark: Accent } {
  return { light: accentOn(lightGround, color), dark: accentOn(darkSheet, color) };
}

/** The accents of the platform, of BRAND_COLOR where it is set. */
export const accents: { light: Accent; dark: Accent } = settings.BRAND_COLOR ? accentsOf(settings.BRAND_COLOR) : usual;

/** The style of BRAND_COLOR; empty without one. */
export function brandStyle(): string {
  return settings.BRAND_COLOR === undefined ? '' : styleOf(settings.BRAND_COLOR, ':root');
}

/** The style of an organization's colour on pages with its brand. The platform's head keeps its own colour. */
export function organizationStyle(color: string): string {
  return styleOf(color, 'main');
}

/**
 * CSS declarations that replace five colours of the tokens by colours of a brand's hue, within the elements of a
 * selector. Text on a filled button is white, so the fill is darkened until it can be read.
 */
function styleOf(color: string, selector: string): string {
  const both = (name: string, light: string, dark: string): string => `--${name}:light-dark(${light},${dark})`;
  const fill = accentOn(white, color).accent;
  const { light, dark } = accentsOf(color);
  const declarations = [
    both('accent', light.accent, dark.accent),
    both('fill', fill, fill),
    both('series', fill, dark.accent),
    both(
      'accent-soft',
      `color-mix(in oklch,${light.accent} 9%,#fff)`,
      `color-mix(in oklch,${dark.accent} 18%,${darkSheet})`,
    ),
    '--on-fill:#fff',
  ];
  return `@layer tokens{${selector}{${declarations.join(';')}}}`;
}

/** The nearest colour of the same hue with enough contrast on a background, and the text colour on it. */
export function accentOn(background: string, color: string): Accent {
  const wanted = toOklch(parse(color));
  const towards = contrast(background, white) > contrast(background, '#000000') ? 1 : -1;
  let accent = color.toLowerCase();
  for (let step = 1; contrast(accent, background) < minContrast; step += 1) {
    const lightness = Math.min(1, Math.max(0, wanted.lightness + towards * step * lightnessStep));
    accent = format(toRgb({ ...wanted, lightness }));
  }
  return { accent, onAccent: contrast(accent, white) >= minContrast ? white : nearBlack };
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = parse(color).map(toLinear) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function format(color: Rgb): string {
  const byte = (part: number): string =>
    Math.round(Math.min(1, Math.max(0, part)) * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${color.map(byte).join('')}`;
}

function toLinear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function fromLinear(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

/** The matrices of CSS Color 4, section 9 (sample code), from linear sRGB. */
function toOklch(color: Rgb): Oklch {
  const [red, green, blue] = color.map(toLinear) as Rgb;
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  const lightness = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short;
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

/** Maps a colour outside sRGB into it by reducing chroma, not hue. */
function toRgb({ lightness, chroma, hue }: Oklch): Rgb {
  let color = toRgbUnbounded(lightness, chroma, hue);
  for (let part = 0.95; part > 0 && color.some((value) => value < -0.001 || value > 1.001); part -= 0.05) {
    color = toRgbUnbounded(lightness, chroma * part, hue);
  }
  return color;
}

function toRgbUnbounded(lightness: number, chroma: number, hue: number): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ].map((part) => fromLinear(Math.max(0, part))) as Rgb;
}
