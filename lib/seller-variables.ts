import { z } from 'zod';
import { singleLine } from './text.ts';

/** The environment variables of the seller: its details on invoices, and the invoice numbers. */
export const sellerVariables = {
  SELLER_NAME: {
    about: 'Who sells, as invoices say.',
    example: 'Example GmbH',
    schema: singleLine(200).default('Platform'),
  },
  SELLER_ADDRESS: {
    about: 'Address of who sells, its lines separated by semicolons.',
    example: 'Street 1; 10115 Berlin; Germany',
    schema: singleLine(500)
      .transform((text) => text.split(';').map((line) => line.trim()))
      .transform((lines) => lines.filter(Boolean))
      .default([]),
  },
  SELLER_TAX_ID: {
    about: 'Tax number of who sells, as invoices say.',
    example: 'DE123456789',
    schema: singleLine(50).optional(),
  },
  INVOICE_PREFIX: {
    about: 'What numbers of invoices begin with, before the year. Another one begins another series, from 1.',
    example: 'ACME',
    schema: z
      .string()
      .regex(/^[A-Z0-9]{1,10}$/, 'must be 1 to 10 capital letters or digits')
      .default(''),
  },
  TAX_NAME: { about: 'What invoices call the tax.', example: 'VAT', schema: singleLine(30).default('VAT') },
  TAX_RATE: {
    about: 'Percent of tax that prices include, which invoices then say. Unset: none.',
    example: '19',
    schema: z
      .string()
      .regex(/^(?:0|[1-9]\d?)(?:\.\d{1,3})?$/, 'must be a number from 0 to 99.999 with at most three decimals')
      .optional(),
  },
};
