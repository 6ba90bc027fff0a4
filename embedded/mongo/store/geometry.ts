import { compareValues } from '../bson/compare.ts';
import { formatValue } from '../bson/format.ts';
import { type Document, isNumeric, type Maybe, type Value } from '../bson/value.ts';
import { MongoError, notSupported } from '../errors.ts';
import { toNumber } from '../query/operators.ts';

/**
 * Throws Location16755 when a field of a 2dsphere index is not a valid point on the sphere, and CommandNotSupported for
 * geometries that this server cannot validate.
 */
export function requireSpherePoints(document: Document, parts: readonly string[]): void {
  const values = distinct(valuesAlong(document, parts));
  const [only] = values;
  if (values.length === 1 && (only === null || isEmpty(only))) return;
  for (const value of values) {
    const reason = sphereFault(value);
    if (reason) throw new MongoError('Location16755', `Can't extract geo keys: ${formatValue(value)}  ${reason}`);
  }
}

const otherGeometries = [
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
];

/** Explains why a value cannot be indexed; undefined for a point. */
function sphereFault(value: Value): string | undefined {
  const isPair = Array.isArray(value) || (value instanceof Map && isNumeric([...value.values()][0]));
  if (isPair) return pointFault(elementsOf(value), false);
  if (!(value instanceof Map)) return 'geo element must be an array or object';
  const type = value.get('type');
  if (typeof type === 'string' && otherGeometries.includes(type)) {
    throw notSupported(`the geometry ${type} in a field of a 2dsphere index`);
  }
  if (type !== 'Point') return `unknown GeoJSON type: ${formatValue(value)}`;
  if (value.has('crs')) throw notSupported('crs of a geometry in a field of a 2dsphere index');
  const coordinates = value.get('coordinates');
  if (!Array.isArray(coordinates)) return 'GeoJSON coordinates must be an array';
  return pointFault(coordinates, true);
}

/** Checks longitude and latitude; a GeoJSON point may have further elements. */
function pointFault(elements: Value[], takesMore: boolean): string | undefined {
  const [x, y] = elements;
  if (!isNumeric(x) || !isNumeric(y)) return 'Point must only contain numeric elements';
  if (elements.length > 2 && !takesMore) return 'Point must only contain two numeric elements';
  const [longitude, latitude] = [toNumber(x), toNumber(y)];
  if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) return undefined;
  return `longitude/latitude is out of bounds, lng: ${longitude} lat: ${latitude}`;
}

/** Throws as MongoDB does when the field of a 2d index is not a point within its bounds. */
export function requireFlatPoints(
  document: Document,
  parts: readonly string[],
  bounds: { min: number; max: number },
): void {
  for (const value of valuesAlong(document, parts)) {
    if (!isContainer(value) || isEmpty(value)) continue;
    const elements = elementsOf(value);
    if (isNumeric(elements[0])) requireFlatPoint(elements, bounds);
    else for (const element of elements) requireLocation(element, bounds);
  }
}

function requireLocation(element: Value, bounds: { min: number; max: number }): void {
  if (!isContainer(element)) {
    throw new MongoError('Location16804', 'location object expected, location array not in correct format');
  }
  if (!isEmpty(element)) requireFlatPoint(elementsOf(element), bounds);
}

function requireFlatPoint([x, y]: Value[], { min, max }: { min: number; max: number }): void {
  if (y === undefined) throw new MongoError('Location13068', 'geo field only has 1 element');
  if (!isNumeric(x) || !isNumeric(y)) {
    throw new MongoError('Location13026', "geo values must be 'legacy coordinate pairs' for 2d indexes");
  }
  const isInside = [x, y].every((value) => toNumber(value) >= min && toNumber(value) <= max);
  if (!isInside) throw new MongoError('Location13027', `point not in interval of [ ${min}, ${max} ]`);
}

/** Collects the values at a path; enters arrays on the path, but not one at its end. */
function valuesAlong(value: Maybe, parts: readonly string[]): Value[] {
  if (value === undefined) return [];
  const [name, ...rest] = parts;
  if (name === undefined) return [value];
  if (Array.isArray(value))
    return value.flatMap((element) => (element instanceof Map ? valuesAlong(element, parts) : []));
  return value instanceof Map ? valuesAlong(value.get(name), rest) : [];
}

function distinct(values: Value[]): Value[] {
  return values.filter((value, at) => values.findIndex((other) => compareValues(other, value) === 0) === at);
}

function isContainer(value: Value): value is Document | Value[] {
  return value instanceof Map || Array.isArray(value);
}

function isEmpty(value: Maybe): boolean {
  return (value instanceof Map && value.size === 0) || (Array.isArray(value) && value.length === 0);
}

function elementsOf(value: Document | Value[]): Value[] {
  return Array.isArray(value) ? value : [...value.values()];
}
