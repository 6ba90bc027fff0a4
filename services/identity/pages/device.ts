import { unknownDevice } from '../sessions.ts';
import { texts } from './texts.ts';

/** The name of a device in the language of the page, from the one that sessions have: "Firefox on Linux". */
export function deviceInWords(device: string): string {
  const { unknown, on } = texts().devices;
  if (device === unknownDevice) return unknown;
  const [browser = '', system] = device.split(' on ');
  return system === undefined ? device : on(browser, system);
}
