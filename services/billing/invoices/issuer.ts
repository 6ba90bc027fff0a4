import { settings } from '../../../lib/settings.ts';
import type { InvoiceParty } from '../../../models/billing/invoice.ts';

/** A tax that prices include, in percent with at most three decimals, such as `19` or `8.875`. */
export type TaxRate = { name: string; rate: string };

/** The seller, its registration numbers and its tax. An invoice keeps the values of its creation. */
export type Issuer = {
  seller: InvoiceParty;
  /** Precedes the year in a number. Another prefix begins another series. */
  prefix: string;
  taxRate: TaxRate | null;
};

/** The issuer as the settings say. */
export function currentIssuer(): Issuer {
  const { SELLER_NAME: name, SELLER_ADDRESS: address, SELLER_TAX_ID: taxId = null, INVOICE_PREFIX: prefix } = settings;
  const { TAX_NAME, TAX_RATE } = settings;
  return {
    seller: { name, address, taxId },
    prefix,
    taxRate: TAX_RATE === undefined ? null : { name: TAX_NAME, rate: TAX_RATE },
  };
}
