import { createHash } from 'node:crypto';
import { createRandom, type Random } from './random.ts';

export type Customer = {
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  phone: string | undefined;
  country: string;
  currency: string;
};

type Market = { country: string; currency: string; dialling: string };

const markets: readonly [Market, ...Market[]] = [
  { country: 'DE', currency: 'EUR', dialling: '+49151' },
  { country: 'FR', currency: 'EUR', dialling: '+3361' },
  { country: 'GB', currency: 'GBP', dialling: '+4477' },
  { country: 'US', currency: 'USD', dialling: '+1415' },
  { country: 'SE', currency: 'SEK', dialling: '+4670' },
];

const firstNames = [
  'Ada',
  'Bruno',
  'Chiara',
  'Dilan',
  'Emre',
  'Frida',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kofi',
  'Lena',
  'Mei',
  'Noor',
  'Oskar',
  'Priya',
] as const;
const lastNames = [
  'Almeida',
  'Berg',
  'Castro',
  'Dahl',
  'Eriksen',
  'Fontaine',
  'Garcia',
  'Haddad',
  'Ito',
  'Jansen',
  'Kaya',
  'Lindqvist',
  'Moreau',
  'Novak',
  'Okafor',
  'Patel',
] as const;

const phoneShare = 0.6;

/** Creates the customers of a shop. Their ids, emails and phone numbers are unique, also across shops. */
export function registerCustomers(shopName: string, count: number): Customer[] {
  const shop = createHash('sha256').update(shopName).digest('hex').slice(0, 6);
  return Array.from({ length: count }, (_, index) => {
    const number = `${shop}-${String(index + 1).padStart(4, '0')}`;
    return createCustomer(number, createRandom(`${shopName}/customer/${index}`));
  });
}

function createCustomer(number: string, random: Random): Customer {
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  const { country, currency, dialling } = random.pick(markets);
  return {
    id: `C-${number}`,
    firstName,
    lastName,
    email: `${firstName}.${lastName}.${number}@example.com`.toLowerCase(),
    phone: random.happens(phoneShare) ? `${dialling}${random.between(2_000_000, 9_999_999)}` : undefined,
    country,
    currency,
  };
}
