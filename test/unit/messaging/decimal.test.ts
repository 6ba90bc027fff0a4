import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTemplate, renderParsed } from '../../../messaging/templates/liquid.ts';

const render = (source: string): string => renderParsed(parseTemplate(source, 'text'), 'text', {});
const compute = (value: string, filter: string): string => render(`{{ ${value} | ${filter} }}`);

describe('a sum in a template', () => {
  test.each([
    ['"1.10"', 'times: 3', '3.3'],
    ['1.10', 'times: 3', '3.3'],
    ['"19.99"', 'times: 1.19 | round: 2', '23.79'],
    ['0.1', 'plus: 0.2', '0.3'],
    ['"0.3"', 'minus: "0.1"', '0.2'],
    ['100', 'minus: 99.9', '0.1'],
    ['10', 'divided_by: 4', '2.5'],
    ['"0.3"', 'divided_by: "0.1"', '3'],
    ['10', 'divided_by: 3 | times: 3', '10'],
    ['-10', 'divided_by: 4, true', '-3'],
    ['"0.3"', 'modulo: "0.1"', '0'],
    ['-5.5', 'modulo: 3', '0.5'],
    ['5', 'modulo: -3', '-1'],
    ['1.005', 'round: 2', '1.01'],
    ['-1.005', 'round: 2', '-1.01'],
    ['2.5', 'round', '3'],
    ['-2.5', 'round', '-3'],
    ['1250', 'round: -2', '1300'],
    ['1.5', 'round: 200', '1.5'],
    ['1.5', 'round: -200', '0'],
    ['"4.10"', 'ceil', '5'],
    ['-4.1', 'ceil', '-4'],
    ['"4.90"', 'floor', '4'],
    ['-4.1', 'floor', '-5'],
    ['"-3.10"', 'abs', '3.1'],
    ['"10.5"', 'at_least: "9.75"', '10.5'],
    ['"10.5"', 'at_most: "9.75"', '9.75'],
  ])('%s | %s is %s', (value, filter, result) => {
    expect(compute(value, filter)).toBe(result);
  });

  test.each([
    ['nil', '1'],
    ['""', '1'],
    ['"two"', '1'],
    ['"1,5"', '1'],
    ['"Infinity"', '1'],
    ['" 7 "', '8'],
    ['"+7"', '8'],
    ['".5"', '1.5'],
    ['"5."', '6'],
    ['"1e3"', '1001'],
    ['"0e999"', '1'],
    ['true', '2'],
  ])('takes %s as Liquid does: plus 1 it is %s', (value, result) => {
    expect(compute(value, 'plus: 1')).toBe(result);
  });

  test.each([
    ['"9007199254740993"', 'plus: 0', '9007199254740993'],
    ['"12345678901234567.89"', 'plus: "0.01"', '12345678901234567.9'],
    ['"0.0000001"', 'times: 1', '0.0000001'],
    ['"1e21"', 'plus: 1', '1000000000000000000001'],
  ])('%s | %s keeps all digits: %s', (value, filter, result) => {
    expect(compute(value, filter)).toBe(result);
  });

  test('compares by its value with numbers and with other sums', () => {
    const sums = '{% assign total = "4.50" | times: 2 %}{% assign limit = "2.5" | times: 4 %}';
    expect(render(`${sums}{% if total < limit and total == 9 and limit > 9.5 %}less{% endif %}`)).toBe('less');
  });

  test.each([
    ['1', 'divided_by: 0', 'Division by zero.'],
    ['1', 'divided_by: nil', 'Division by zero.'],
    ['1', 'modulo: "0.00"', 'Division by zero.'],
    ['"1e200"', 'plus: 1', 'A number must have at most 100 digits.'],
    ['"1e-200"', 'plus: 1', 'A number must have at most 100 digits.'],
    ['1', 'round: "1e999"', 'A number must have at most 100 digits.'],
    ['"1e99"', 'times: "1e99"', 'A number must have at most 100 digits.'],
    [`"${'9'.repeat(101)}"`, 'plus: 1', 'A number must have at most 100 digits.'],
  ])('%s | %s is refused', (value, filter, message) => {
    expect(() => compute(value, filter)).toThrow(message);
  });

  const cents = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n });
  const amountOf = (count: bigint, digits: number): string => {
    const text = String(count < 0n ? -count : count).padStart(digits + 1, '0');
    return `"${count < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}"`;
  };
  const plain = (amount: string): string =>
    amount
      .slice(1, -1)
      .replace(/\.?0+$/, '')
      .replace(/^-0$/, '0');

  test('is exact to the cent', () => {
    fc.assert(
      fc.property(cents, cents, (one, other) => {
        const [a, b] = [amountOf(one, 2), amountOf(other, 2)];
        expect(compute(a, `plus: ${b}`)).toBe(plain(amountOf(one + other, 2)));
        expect(compute(a, `minus: ${b}`)).toBe(plain(amountOf(one - other, 2)));
        expect(compute(a, `plus: ${b} | minus: ${b}`)).toBe(plain(a));
        expect(compute(a, `at_least: ${b}`)).toBe(plain(one > other ? a : b));
        expect(compute(a, `at_most: ${b}`)).toBe(plain(one < other ? a : b));
      }),
    );
  });

  test('of a price and a quantity is exact, and is divided back to the price', () => {
    const price = fc.bigInt({ min: 1n, max: 10n ** 8n });
    fc.assert(
      fc.property(price, fc.bigInt({ min: 1n, max: 10n ** 5n }), (one, count) => {
        const product = plain(amountOf(one * count, 2));
        expect(compute(amountOf(one, 2), `times: ${count}`)).toBe(product);
        expect(compute(`"${product}"`, `divided_by: ${count}`)).toBe(plain(amountOf(one, 2)));
        expect(compute(`"${product}"`, `modulo: ${amountOf(one, 2)}`)).toBe('0');
      }),
    );
  });
});
