import { type Endpoint, pathSegment, type TaskEndpoints, type TextEndpoint } from './endpoint.ts';

// Where each format goes, below the address at which an upstream has it.

export function chatCompletionsAt(prefix: string): TextEndpoint {
  return { send: { path: `${prefix}/chat/completions` } };
}

export function responsesAt(prefix: string): TextEndpoint {
  return {
    send: { path: `${prefix}/responses` },
    count: { path: `${prefix}/responses/input_tokens` },
  };
}

/** The version of the protocol, which every request names. */
export const messagesVersion = '2023-06-01';

export function messagesAt(prefix: string): TextEndpoint {
  const defaultHeaders = { 'anthropic-version': messagesVersion };
  return {
    send: { path: `${prefix}/messages`, defaultHeaders },
    count: { path: `${prefix}/messages/count_tokens`, defaultHeaders },
  };
}

/** @param place the path of the model, without a method */
export function contentGenerationAt(place: string, base?: URL): TextEndpoint {
  const at = (path: Endpoint['path']): Endpoint => ({ ...(base && { base }), path });
  return {
    send: at({
      whole: `${place}:generateContent`,
      events: `${place}:streamGenerateContent?alt=sse`,
      array: `${place}:streamGenerateContent`,
    }),
    count: at(`${place}:countTokens`),
  };
}

export function interactionsAt(prefix: string): TextEndpoint {
  return { send: { path: `${prefix}/interactions` } };
}

/** Responses that are made in the background. */
export function storedResponsesAt(prefix: string): TaskEndpoints {
  const path = `${prefix}/responses`;
  return {
    ...storedAt(path),
    inputItems: (task) => ({ method: 'GET', path: `${path}/${pathSegment(task)}/input_items` }),
  };
}

/** Interactions that are made in the background. */
export function storedInteractionsAt(prefix: string): TaskEndpoints {
  return storedAt(`${prefix}/interactions`);
}

function storedAt(path: string): TaskEndpoints {
  const one = (task: string) => `${path}/${pathSegment(task)}`;
  return {
    create: { path },
    read: (task) => ({ method: 'GET', path: one(task) }),
    cancel: (task) => ({ path: `${one(task)}/cancel` }),
    remove: (task) => ({ method: 'DELETE', path: one(task) }),
  };
}

/** Video jobs, whose bytes are read apart from their record. They cannot be cancelled. */
export function videosAt(prefix: string): TaskEndpoints {
  const one = (task: string) => `${prefix}/videos/${pathSegment(task)}`;
  return {
    create: { path: `${prefix}/videos` },
    remix: (task) => ({ path: `${one(task)}/remix` }),
    read: (task) => ({ method: 'GET', path: one(task) }),
    remove: (task) => ({ method: 'DELETE', path: one(task) }),
    content: (task) => ({ method: 'GET', path: `${one(task)}/content` }),
  };
}

/** Native video synthesis, which is asynchronous only where a header says so. Its tasks cannot be deleted. */
export function videoSynthesisAt(prefix: string): TaskEndpoints {
  const one = (task: string) => `${prefix}/tasks/${pathSegment(task)}`;
  return {
    create: {
      path: `${prefix}/services/aigc/video-generation/video-synthesis`,
      headers: { 'x-dashscope-async': 'enable' },
    },
    read: (task) => ({ method: 'GET', path: one(task) }),
    cancel: (task) => ({ path: `${one(task)}/cancel` }),
  };
}
