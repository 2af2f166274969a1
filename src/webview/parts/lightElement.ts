import { LitElement, type PropertyDeclaration } from 'lit';

/** A reactive property of an element. */
interface Property<Value> {
  readonly declaration: PropertyDeclaration;
  /** The initial value; undefined if the creator sets it. */
  readonly initial: Value | undefined;
}

type Properties = Readonly<Record<string, Property<unknown>>>;

type Values<Table extends Properties> = {
  -readonly [Name in keyof Table]: Table[Name] extends Property<infer Value> ? Value : never;
};

/** A property that the creator of the element sets before its first render. */
export function property<Value>(): Property<Value>;
export function property<Value>(initial: Value): Property<Value>;
export function property<Value>(initial?: Value): Property<Value> {
  return { declaration: { attribute: false }, initial };
}

/** A property that only the element itself changes. */
export function state<Value>(): Property<Value>;
export function state<Value>(initial: Value): Property<Value>;
export function state<Value>(initial?: Value): Property<Value> {
  return { declaration: { state: true }, initial };
}

/** A Lit element without a shadow root, so that the page's style sheet and the icon font apply to it. */
export abstract class LightElement extends LitElement {
  /**
   * The base class of an element with these reactive properties. Do not declare them again: a class field would
   * hide the accessor that makes the property reactive. Decorators are not used, because Node strips only types.
   */
  static with<Table extends Properties>(table: Table): new () => LightElement & Values<Table> {
    const entries = Object.entries(table);
    const initial = entries.flatMap(([name, { initial }]) =>
      initial === undefined ? [] : [[name, initial]],
    );
    class ElementWithProperties extends LightElement {
      static override properties = Object.fromEntries(
        entries.map(([name, { declaration }]) => [name, declaration]),
      );

      constructor() {
        super();
        Object.assign(this, Object.fromEntries(initial));
      }
    }
    return ElementWithProperties as unknown as new () => LightElement & Values<Table>;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
