import { MongoError } from '../errors.ts';

const compiled = new Map<string, RegExp>();
const compiledLimit = 500;

/**
 * A MongoDB regular expression as one of JavaScript's, with the options i, m, s, u and x. Throws Location51091
 * for a pattern that is broken or has what only PCRE knows, Location51108 for another option.
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
  const unknown = [...options].find((option) => !'imsux'.includes(option));
  if (unknown) throw new MongoError('Location51108', `invalid flag in regex options: ${unknown}`);
  const flags = [...'ims'].filter((option) => options.includes(option)).join('');
  const source = options.includes('x') ? withoutSpace(pattern) : pattern;
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return compileLoosely(source, flags);
  }
}

/** The extended syntax without its white space and comments; what is escaped or within brackets stays. */
function withoutSpace(pattern: string): string {
  return pattern.replace(/(\\.|\[(?:\\.|[^\]\\])*\])|\s+|#.*/g, '$1');
}

/** PCRE allows escapes such as `\-` that the strict Unicode mode of JavaScript does not. */
function compileLoosely(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    throw new MongoError('Location51091', `Regular expression is invalid here: ${(error as Error).message}`);
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
