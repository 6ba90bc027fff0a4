/** The keys of an item from the outermost group to the innermost, such as an organization's owner and organization. */
type Path = readonly string[];

/**
 * A fair queue: the groups with items take turns, and so do the groups within a group, at any depth. Items of one path
 * keep their order.
 */
export type FairQueue<T> = {
  add: (path: Path, item: T) => void;
  /**
   * Removes and returns the next item below a path; undefined if none. `accepts` decides on the first item of each
   * innermost group; a group whose first item is not accepted is overtaken.
   */
  next: (path?: Path, accepts?: (item: T) => boolean) => T | undefined;
  /** Removes one item. */
  remove: (path: Path, item: T) => void;
  /** Removes and returns the last item of the largest group below a path; undefined if none. */
  removeLast: (path: Path) => T | undefined;
  /** Removes and returns all items. */
  clear: () => T[];
  /** The number of items below a path. */
  size: (path?: Path) => number;
  /** The number of items of the largest group directly below a path. */
  largestSize: (path: Path) => number;
  /** The outermost groups, in the order of their turns. */
  keys: () => readonly string[];
};

/** The groups of a node are in the order of their turns. Only innermost nodes have items. */
type Node<T> = { size: number; items: T[]; groups: Map<string, Node<T>> };

const newNode = <T>(): Node<T> => ({ size: 0, items: [], groups: new Map() });

export function createFairQueue<T>(): FairQueue<T> {
  let root = newNode<T>();

  function nodeAt(path: Path): Node<T> | undefined {
    return path.reduce<Node<T> | undefined>((node, key) => node?.groups.get(key), root);
  }

  function removeAt(path: Path, index: number): T | undefined {
    const [item] = nodeAt(path)?.items.splice(index, 1) ?? [];
    let node: Node<T> | undefined = item === undefined ? undefined : root;
    for (const key of [...path, '']) {
      if (!node) break;
      node.size -= 1;
      const group: Node<T> | undefined = node.groups.get(key);
      if (group?.size === 1) node.groups.delete(key);
      node = group;
    }
    return item;
  }

  return {
    add(path, item) {
      let node = root;
      node.size += 1;
      for (const key of path) {
        const group = node.groups.get(key) ?? newNode<T>();
        node.groups.set(key, group);
        group.size += 1;
        node = group;
      }
      node.items.push(item);
    },
    next: (path = [], accepts = () => true) => takeFrom(root, path, accepts),
    remove(path, item) {
      const index = nodeAt(path)?.items.indexOf(item) ?? -1;
      if (index >= 0) removeAt(path, index);
    },
    removeLast(path) {
      const inner = [...path];
      for (let node = nodeAt(path); node && node.groups.size > 0; ) {
        const [key, group] = largestOf(node);
        inner.push(key);
        node = group;
      }
      return removeAt(inner, -1);
    },
    clear() {
      const items = itemsOf(root);
      root = newNode();
      return items;
    },
    size: (path = []) => nodeAt(path)?.size ?? 0,
    largestSize: (path) => Math.max(0, ...[...(nodeAt(path)?.groups.values() ?? [])].map(({ size }) => size)),
    keys: () => [...root.groups.keys()],
  };
}

/** Takes the next item of a node, and moves its groups behind the others. */
function takeFrom<T>(node: Node<T>, [key, ...rest]: Path, accepts: (item: T) => boolean): T | undefined {
  const [first] = node.items;
  if (first !== undefined) {
    if (!accepts(first)) return undefined;
    node.size -= 1;
    return node.items.shift();
  }
  for (const name of key === undefined ? node.groups.keys() : [key]) {
    const group = node.groups.get(name);
    const item = group && takeFrom(group, rest, accepts);
    if (item === undefined) continue;
    node.size -= 1;
    node.groups.delete(name);
    if (group && group.size > 0) node.groups.set(name, group);
    return item;
  }
  return undefined;
}

function largestOf<T>({ groups }: Node<T>): [string, Node<T>] {
  return [...groups].reduce((one, other) => (other[1].size > one[1].size ? other : one));
}

const itemsOf = <T>({ items, groups }: Node<T>): T[] => [...items, ...[...groups.values()].flatMap(itemsOf)];
