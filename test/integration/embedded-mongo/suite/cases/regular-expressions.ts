import { type Case, type Group, holding, ids, refused } from '../case.ts';

/** Which of the texts a pattern in the syntax of PCRE is found in. */
function finds(says: string, pattern: string, texts: string[], expected: number[], options = ''): Case {
  return {
    says,
    given: holding(...texts),
    when: async ({ collection }) =>
      ids(await collection.find({ v: { $regex: pattern, $options: options } }, { sort: { _id: 1 } }).toArray()),
    answer: expected,
  };
}

function refuses(says: string, pattern: string, code: number, naming: string): Case {
  return {
    says,
    given: holding('a'),
    when: ({ collection }) => collection.find({ v: { $regex: pattern } }).toArray(),
    answer: refused(code, naming),
  };
}

const anchors: Case[] = [
  finds('$ matches at the end and before a last line break', 'a$', ['a', 'a\n', 'a\n\n', 'ab'], [1, 2]),
  finds('\\z matches at the very end', 'a\\z', ['a', 'a\n'], [1]),
  finds('\\Z matches as $ does', 'a\\Z', ['a', 'a\n', 'a\nb'], [1, 2]),
  finds('\\A matches at the start alone', '\\Aa', ['a', 'b\na'], [1], 'm'),
  finds('^ with m matches at each line', '^a', ['b\na', 'ba'], [1], 'm'),
  finds('$ with m matches before each line break', 'a$', ['a\nb', 'ab'], [1], 'm'),
  finds('\\b matches at words of ASCII', '\\ba\\b', ['b a', 'éa', 'ba'], [1, 2]),
  finds('^ and $ hold in every branch', '^a$|b$', ['a\n', 'ab', 'ba'], [1, 2]),
];

const characters: Case[] = [
  finds('a dot matches all but a line feed', '^a.b$', ['a\rb', 'a\u2028b', 'a\nb'], [1, 2]),
  finds('\\s matches white space of ASCII', '^\\s$', [' ', '\t', '\v', '\u00a0', '\u2028'], [1, 2, 3]),
  finds('\\d and \\w match ASCII', '^\\d\\w$', ['1a', '1_', '1é', '\u0661a'], [1, 2]),
  finds('\\Q…\\E is text', '^\\Qa.b*\\E$', ['a.b*', 'axb'], [1]),
  finds('\\Q without \\E is text to the end', 'a\\Q(.', ['a(.', 'a'], [1]),
  finds('a class of POSIX', '^[[:alpha:]]+[[:digit:]]$', ['ab1', 'é1', 'ab'], [1]),
  finds('a negated class of POSIX', '^[[:^space:]]+$', ['ab', 'a b'], [1]),
  finds('a property of Unicode', '^\\p{Lu}\\P{L}$', ['É1', 'é1', 'ÉE'], [1]),
  finds('a property keeps its meaning where case is ignored', '^\\p{Lu}$', ['É', 'é'], [1], 'i'),
  finds('case is ignored beyond ASCII', '^äß$', ['ÄSS', 'Äß', 'äẞ'], [2, 3], 'i'),
  finds('\\h matches white space within a line', '^a\\hb$', ['a b', 'a\u00a0b', 'a\nb'], [1, 2]),
  finds('code points by number', '^\\x41\\x{1F600}\\x42$', ['A😀B'], [1]),
  finds('a dot matches a character beyond 16 bits as one', '^.$', ['😀', 'ab'], [1]),
  finds('a bracket may be the first of a class', '^[]a]+$', [']a', 'b'], [1]),
  finds('an option within the pattern', '^(?i)a(?-i)b$', ['Ab', 'AB'], [1]),
  finds('an option within a group ends with it', '^(?i:a)b$', ['Ab', 'AB'], [1]),
  finds('a comment within the pattern', '^a(?# comment )b$', ['ab'], [1]),
  finds('a named group', '^(?<one>a)(?P<two>b)$', ['ab'], [1]),
  finds('a brace that counts nothing is a character', '^a{,2}$', ['a{,2}', 'aa'], [1]),
  finds('a count of repetitions', '^a{2,3}$', ['a', 'aa', 'aaa', 'aaaa'], [2, 3]),
  finds('x leaves a class as it is', '^a [ ] b$', ['a b', 'ab'], [1], 'x'),
];

const ignoringCase: Case[] = [
  finds('\\w is ASCII where case is ignored', '^\\w$', ['S', 's', '\u017f', '\u212a'], [1, 2], 'i'),
  finds('\\w within a class is ASCII', '^[\\w-]$', ['S', '-', '\u017f'], [1, 2], 'i'),
  finds('a range of letters has their other cases', '^[i-u]$', ['K', 'u', '\u212a', '\u017f', 'Z'], [1, 2, 3, 4], 'i'),
  finds(
    'a range beside \\d has their other cases',
    '^[i-u\\d]$',
    ['K', '1', '\u212a', '\u017f', 'Z'],
    [1, 2, 3, 4],
    'i',
  ),
  finds('[:upper:] is any letter of ASCII', '^[[:upper:]]$', ['a', 'A', '\u017f', '1'], [1, 2], 'i'),
  finds('a negated class leaves out both cases', '^[^a\\d]$', ['A', 'a', '1', 'b'], [4], 'i'),
];

const broken: Case[] = [
  refuses('a class of POSIX outside of brackets is refused', '[:alpha:]', 51091, 'POSIX named classes'),
  refuses('a pattern longer than 32,764 characters is refused', 'a'.repeat(32_765), 51091, 'too long'),
  refuses('a group without an end is refused', '(a', 51091, 'Regular expression is invalid'),
  refuses('a class without an end is refused', '[a', 51091, 'Regular expression is invalid'),
  refuses('a range out of order is refused', '[b-a]', 51091, 'Regular expression is invalid'),
  refuses('a count out of order is refused', 'a{3,2}', 51091, 'Regular expression is invalid'),
  refuses('a quantifier of nothing is refused', '*a', 51091, 'Regular expression is invalid'),
  refuses('an unknown escape is refused', '\\y', 51091, 'Regular expression is invalid'),
  refuses('an unknown class of POSIX is refused', '[[:nonsense:]]', 51091, 'Regular expression is invalid'),
];

const backtracking: Case[] = [
  finds('a look-ahead', '^a(?!b)', ['ac', 'ab'], [1]),
  finds('a reference to a group', '^(a|b)\\1$', ['aa', 'ab'], [1]),
  finds('a possessive quantifier', '^a++b$', ['aab'], [1]),
  finds('an atomic group', '^(?>a+)b$', ['aab'], [1]),
  finds('$ before the very end', 'a$\\z', ['a', 'a\n'], [1]),
  finds('$ before a line break that the pattern names', 'a$\\nb', ['a\nb', 'a'], []),
];

export const regexGroups: Group[] = [
  { group: 'regular expression anchors', cases: anchors },
  { group: 'regular expression characters', cases: characters },
  { group: 'regular expressions that ignore case', cases: ignoringCase },
  { group: 'regular expression refusals', cases: broken },
  { group: 'regular expressions that look ahead or back', cases: backtracking },
];
