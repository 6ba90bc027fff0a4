import { badValue, notSupported } from '../errors.ts';

const compiled = new Map<string, RegExp>();
const compiledLimit = 500;

/**
 * A MongoDB regular expression as one of JavaScript's. The options i, m, s and u are known;
 * x (extended) and constructs that only PCRE has are refused.
 */
export function compileRegex(pattern: string, options: string): RegExp {
  const key = `${options}/${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  const expression = compile(pattern, options);
  if (compiled.size >= compiledLimit) compiled.clear();
  compiled.set(key, expression);
  return expression;
}

function compile(pattern: string, options: string): RegExp {
  const unknown = [...options].find((option) => !'imsu'.includes(option));
  if (unknown) throw notSupported(`the regular expression option ${unknown}`);
  const flags = [...'ims'].filter((option) => options.includes(option)).join('');
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return compileLoosely(pattern, flags);
  }
}

/** PCRE allows escapes such as `\-` that the strict Unicode mode of JavaScript does not. */
function compileLoosely(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    throw badValue(`The regular expression /${pattern}/ is not valid here: ${(error as Error).message}`);
  }
}

/** The literal text every match begins with, when the expression is `^text` and more; else undefined. */
export function regexPrefix(pattern: string, options: string): string | undefined {
  if (options !== '' || !pattern.startsWith('^') || pattern.includes('|')) return undefined;
  const [literal = ''] = /^[\p{L}\p{N} _:@,;=/-]+/u.exec(pattern.slice(1)) ?? [];
  const rest = pattern.slice(1 + literal.length);
  // A quantifier makes the character before it optional or repeated.
  const certain = /^[*?{+]/.test(rest) ? [...literal].slice(0, -1).join('') : literal;
  return certain === '' ? undefined : certain;
}
