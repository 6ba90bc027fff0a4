import { z } from 'zod';
import { singleLine } from '../../lib/contract/input.ts';
import { defineSettings } from '../../lib/settings/define-settings.ts';

/** The seller's details on invoices, and the invoice numbers. */
export const sellerSettings = defineSettings('billing', {
  SELLER_NAME: {
    about: 'Name of the seller on invoices.',
    example: 'Example GmbH',
    schema: singleLine(200).default('Platform'),
  },
  SELLER_ADDRESS: {
    about: 'Address of the seller on invoices, its lines separated by semicolons.',
    example: 'Street 1; 10115 Berlin; Germany',
    schema: singleLine(500)
      .transform((text) => text.split(';').map((line) => line.trim()))
      .transform((lines) => lines.filter(Boolean))
      .default([]),
  },
  SELLER_TAX_ID: {
    about: 'Tax number of the seller on invoices.',
    example: 'DE123456789',
    schema: singleLine(50).optional(),
  },
  INVOICE_PREFIX: {
    about: 'Prefix of invoice numbers, before the year. A changed prefix starts a new series from 1.',
    example: 'ACME',
    schema: z
      .string()
      .regex(/^[A-Z0-9]{1,10}$/, 'must be 1 to 10 capital letters or digits')
      .default(''),
  },
  TAX_NAME: { about: 'Name of the tax on invoices.', example: 'VAT', schema: singleLine(30).default('VAT') },
  TAX_RATE: {
    about: 'Tax rate in percent that prices include, shown on invoices. Unset: none.',
    example: '19',
    schema: z
      .string()
      .regex(/^(?:0|[1-9]\d?)(?:\.\d{1,3})?$/, 'must be a number from 0 to 99.999 with at most three decimals')
      .optional(),
  },
});
