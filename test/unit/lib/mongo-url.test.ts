import { afterEach, describe, expect, test } from '@jest/globals';
import { connectOptionsFor, databaseNameOf, problemOfMongoUrl } from '../../../lib/settings/mongo-url.ts';
import { MongoClient } from '../../integration/embedded-mongo/suite/driver.ts';

const url = (options: string) => `mongodb://db.example/shop?${options}`;

describe('a MongoDB URL', () => {
  test.each([
    'mongodb://localhost',
    'mongodb://localhost:27017/platform',
    'mongodb+srv://user:password@cluster.example/shop?retryWrites=true',
    'mongodb://a.example:27017,b.example:27018/shop?replicaSet=rs0&tls=true',
    'mongodb://user:pass%40word@[::1]:27017/?authSource=admin',
    url('readPreference=primary&w=majority&journal=true&readConcernLevel=majority'),
    url('READPREFERENCE=primary&retryWrites=false&directConnection=true&compressors=zstd'),
  ])('%s is accepted', (accepted) => {
    expect(problemOfMongoUrl(accepted)).toBeNull();
  });

  test.each(['localhost', 'http://localhost', 'mongodb+srv//admin:pa55word@db', 'mongodb://', 'mongodb://a/b?c d'])(
    '%s is none',
    (refused) => {
      expect(problemOfMongoUrl(refused)).toBe('must be a mongodb:// or mongodb+srv:// URL');
    },
  );

  test.each([
    ['readPreference', 'readPreference=secondary'],
    ['readPreference', 'readPreference=primaryPreferred'],
    ['readPreference', 'readpreference=nearest'],
    ['readPreference', 'readPreference=primary&readPreference=secondaryPreferred'],
    ['readPreferenceTags', 'readPreferenceTags=dc:ny'],
    ['maxStalenessSeconds', 'maxStalenessSeconds=120'],
    ['readConcernLevel', 'readConcernLevel=available'],
    ['readConcernLevel', 'readConcernLevel=snapshot'],
    ['w', 'w=0'],
    ['w', 'w=1'],
    ['w', 'W=rack'],
    ['journal', 'journal=false'],
    ['j', 'j=false'],
    ['wtimeoutMS', 'wtimeoutMS=100'],
  ])('is refused for its %s, named, in %s', (option, options) => {
    expect(problemOfMongoUrl(url(options))).toMatch(new RegExp(`^must not change ${option}: `));
  });

  test.each([
    ['mongodb://localhost', 'platform'],
    ['mongodb://localhost/', 'platform'],
    ['mongodb://localhost/?w=majority', 'platform'],
    ['mongodb://user:password@a,b:27018/shop?w=majority', 'shop'],
  ])('%s names the database %s', (named, name) => {
    expect(databaseNameOf(named)).toBe(name);
  });
});

describe('the driver', () => {
  let client: MongoClient | undefined;
  afterEach(() => client?.close());

  /** What the driver makes of the URL and the platform's options together. */
  function optionsOf(connection: string) {
    const { dbName: _dbName, autoIndex: _index, autoCreate: _create, ...options } = connectOptionsFor(connection);
    client = new MongoClient(connection, options);
    return client.options;
  }

  test('ends every wait, also where the URL names no time', () => {
    expect(optionsOf('mongodb://db.example')).toMatchObject({
      serverSelectionTimeoutMS: 2_000,
      connectTimeoutMS: 2_000,
      heartbeatFrequencyMS: 1_000,
      socketTimeoutMS: 60_000,
      waitQueueTimeoutMS: 60_000,
      writeConcern: { w: 'majority', journal: true },
      readPreference: { mode: 'primary' },
    });
  });

  test('has the times that the URL names', () => {
    expect(optionsOf(url('sockettimeoutms=5000&serverSelectionTimeoutMS=9000&w=majority'))).toMatchObject({
      serverSelectionTimeoutMS: 9_000,
      connectTimeoutMS: 2_000,
      socketTimeoutMS: 5_000,
      waitQueueTimeoutMS: 60_000,
      writeConcern: { w: 'majority', journal: true },
    });
  });
});
