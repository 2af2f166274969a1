import type { AskedMessage, AskedRequest, Settings } from '../../wire/apis/format/askedRequest.ts';
import { shortened } from '../../wire/apis/format/functionTools.ts';
import type { ConversionNotes } from './notes.ts';

/** The names of a caller's tools, and those that the upstream's format allows in their place. */
export class PlainToolNames {
  readonly #allowed: RegExp | undefined;
  readonly #byOriginal = new Map<string, string>();
  readonly #byPlain = new Map<string, string>();

  /** @param allowed any name where it is undefined */
  constructor(allowed: RegExp | undefined) {
    this.#allowed = allowed;
  }

  /** The name that the caller uses. */
  original(plain: string): string {
    return this.#byPlain.get(plain) ?? plain;
  }

  /** The request with allowed names. */
  renamed(asked: AskedRequest, notes: ConversionNotes): AskedRequest {
    const used = new Set(namesIn(asked));
    const odd = [...used].filter((name) => name !== '' && this.#allowed?.test(name) === false);
    if (odd.length === 0) return asked;
    for (const name of odd) this.#add(name, used);
    notes.drop('tools[].name');
    return {
      ...asked,
      messages: asked.messages.map((each) => this.#message(each)),
      settings: this.#settings(asked),
    };
  }

  #add(name: string, used: Set<string>): void {
    const letters = name.replaceAll(/[^\w-]/g, '_').replace(/^[^A-Za-z_]/, '_$&');
    const isFree = !used.has(letters) && this.#allowed?.test(letters);
    const plain = isFree ? letters : shortened(letters, name);
    used.add(plain);
    this.#byOriginal.set(name, plain);
    this.#byPlain.set(plain, name);
  }

  #plain(name: string): string {
    return this.#byOriginal.get(name) ?? name;
  }

  #message(message: AskedMessage): AskedMessage {
    const parts = message.parts.map((part) =>
      part.type === 'toolCall' || part.type === 'toolResult'
        ? { ...part, name: this.#plain(part.name) }
        : part,
    );
    return { ...message, parts };
  }

  #settings({ settings }: AskedRequest): Settings {
    const { tools, toolChoice } = settings;
    const names = toolChoice?.value.names?.map((name) => this.#plain(name));
    const renamed = tools?.value.map((tool) => ({ ...tool, name: this.#plain(tool.name) }));
    return {
      ...settings,
      ...(tools && renamed && { tools: { ...tools, value: renamed } }),
      ...(toolChoice && names && { toolChoice: { ...toolChoice, value: { ...toolChoice.value, names } } }),
    };
  }
}

function namesIn({ messages, settings }: AskedRequest): readonly string[] {
  const parts = messages.flatMap((message) => message.parts);
  return [
    ...(settings.tools?.value ?? []).map(({ name }) => name),
    ...(settings.toolChoice?.value.names ?? []),
    ...parts.flatMap((part) => (part.type === 'toolCall' || part.type === 'toolResult' ? part.name : [])),
  ];
}
