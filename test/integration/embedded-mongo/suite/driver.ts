import { mongo } from 'mongoose';

/** The unchanged driver, as Mongoose brings it. */
export const { MongoClient, MongoError, MongoServerError, MongoBulkWriteError } = mongo;

export type MongoClient = mongo.MongoClient;
export type MongoError = mongo.MongoError;
export type MongoServerError = mongo.MongoServerError;
export type Db = mongo.Db;
export type Document = mongo.Document;
export type Filter = mongo.Filter<mongo.Document>;
export type Collection = mongo.Collection<mongo.Document>;
export type IndexDescription = mongo.IndexDescription;
