import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate of its own key, for a verifier that reads the key out of it. */
export type SelfSigned = { certificate: string; privateKey: KeyObject };

/** Node makes no certificates: these are the fields of X.509 (RFC 5280 section 4.1) as DER. */
export function selfSigned(validFrom: string, validTo: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(oid('2a864886f70d01010b'), der(0x05));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('sns.amazonaws.com')))));
  const validity = sequence(...[validFrom, validTo].map((at) => der(0x18, Buffer.from(at))));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = sequence(version, serial, algorithm, name, validity, name, spki);
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const text = sequence(toBeSigned, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return { certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`, privateKey };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
