import { isObject, type JsonObject, nonEmptyString, parseExactJson } from '../../../base/json.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';

type Step = Record<string, unknown>;

/** Records the steps of one interaction in the current schema: those of its end, else as they were streamed. */
export class InteractionsSaid implements SaidRecorder {
  readonly #steps = new Map<unknown, Step>();
  readonly #arguments = new Map<Step, string>();
  #whole: readonly JsonObject[] = [];

  read(payload: JsonObject): void {
    const { event_type: type, index, step, delta } = payload;
    if (type === 'step.start' && isObject(step)) this.#steps.set(index, structuredClone(step) as Step);
    else if (type === 'step.delta' && isObject(delta)) {
      const open = this.#steps.get(index);
      if (open) this.#extend(open, delta);
    } else {
      const interaction = isObject(payload.interaction) ? payload.interaction : payload;
      const steps = Array.isArray(interaction.steps) ? interaction.steps.filter(isObject) : [];
      if (steps.length > 0) this.#whole = steps;
    }
  }

  get reasoning(): SaidReasoning | undefined {
    return this.#streamedOrWhole().some(({ signature }) => signature) ? 'signed' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    let calls = 0;
    return this.#streamedOrWhole().flatMap((step) => {
      if (step.type === 'user_input') return [];
      if (step.type !== 'function_call') return [step];
      const id = ids[calls++];
      return id === undefined ? [] : [{ ...step, id }];
    });
  }

  #streamedOrWhole(): readonly JsonObject[] {
    const streamed = [...this.#steps.values()].map((step) => this.#finished(step));
    return streamed.length > 0 ? streamed : this.#whole;
  }

  #extend(step: Step, delta: JsonObject): void {
    switch (delta.type) {
      case 'arguments_delta':
        this.#arguments.set(
          step,
          (this.#arguments.get(step) ?? '') + (nonEmptyString(delta.arguments) ?? ''),
        );
        break;
      case 'thought_signature':
        step.signature = delta.signature;
        break;
      case 'thought_summary':
        if (isObject(delta.content)) extend(step, 'summary', delta.content);
        break;
      case 'function_call':
        Object.assign(step, structuredClone(delta));
        break;
      default:
        if (step.type === 'model_output') extend(step, 'content', delta);
    }
  }

  #finished(step: Step): Step {
    const text = this.#arguments.get(step);
    return text === undefined ? step : { ...step, arguments: parseExactJson(text) };
  }
}

/** Adds content to a step. Text continues the content before. */
function extend(step: Step, name: 'content' | 'summary', more: JsonObject): void {
  const list: Step[] = Array.isArray(step[name]) ? step[name] : [];
  step[name] = list;
  const last = list.at(-1);
  const goesOn = last?.type === 'text' && more.type === 'text' && !more.annotations;
  if (goesOn) last.text = `${last.text ?? ''}${more.text ?? ''}`;
  else list.push(structuredClone(more) as Step);
}
