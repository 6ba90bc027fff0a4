import { describe, expect, test } from '@jest/globals';
import { pickFields } from '../../../web/pick.ts';

describe('pick', () => {
  test('gives the fields of these names, empty where they are missing', () => {
    expect(pickFields({ email: 'a', flow: 'token' }, 'email', 'password')).toEqual({ email: 'a', password: '' });
  });

  test('refuses a field that the form does not have', () => {
    expect(() => pickFields({ email: 'a', admin: 'yes' }, 'email')).toThrow(
      expect.objectContaining({ type: 'INPUT_INVALID', message: 'body.admin is not a field.' }),
    );
  });
});
