import { z } from 'zod';

/**
 * One address that mail can go to. What gives a header or an SMTP command another meaning is refused: spaces, control
 * characters, and the delimiters of RFC 5322 section 3.2.3, so quoted local parts too. At most 254 bytes (RFC 5321,
 * erratum 1690).
 */
export const mailAddress = z
  .string()
  .regex(/^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u, 'Send one email address.')
  .refine((address) => Buffer.byteLength(address) <= 254, 'Send an address of at most 254 bytes.');

/** An address as it is compared. Mail servers ignore the case of the local part, although RFC 5321 lets them tell cases apart. */
export const normalAddress = (address: string): string => address.trim().toLowerCase();
