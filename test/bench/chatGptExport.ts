const turnCount = 12;

const words =
  'The gateway streams a reply; it says “why”, in\nlines with \\ and "quotes", and code: `x => x + 1`. ';

function node(id: string, parent: string | null, role: string, length: number, children: readonly string[]) {
  const content = { content_type: 'text', parts: [words.repeat(length)] };
  const metadata = {
    model_slug: 'gpt-4o',
    finish_details: { type: 'stop', stop_tokens: [200002] },
    citations: [],
  };
  const about = { create_time: 1_700_000_000.123456, update_time: null, status: 'finished_successfully' };
  const author = { role, name: null, metadata: {} };
  return {
    id,
    parent,
    children,
    message: { id, author, ...about, content, metadata, weight: 1, recipient: 'all' },
  };
}

function conversation(nth: number): object {
  const mapping: Record<string, object> = {};
  let parent: string | null = null;
  for (let turn = 0; turn < turnCount; turn += 1) {
    const ids: readonly string[] = ['question', 'answer', 'other'].map((kind) => `${kind}-${nth}-${turn}`);
    const [question = '', reply = '', other = ''] = ids;
    mapping[question] = node(question, parent, 'user', 2, [reply, other]);
    mapping[reply] = node(reply, question, 'assistant', 15, []);
    mapping[other] = node(other, question, 'assistant', 10, [`question-${nth}-${turn + 1}`]);
    parent = other;
  }
  const times = { create_time: 1_700_000_000.5, update_time: 1_700_000_100.5 };
  return {
    title: `Chat ${nth}`,
    ...times,
    mapping,
    moderation_results: [],
    current_node: parent,
    id: `chat-${nth}`,
  };
}

/** `conversations.json` as ChatGPT exports it, with so many conversations of 36 messages, about 67 KB each. */
export function chatGptExport(conversations: number): Buffer {
  return Buffer.from(JSON.stringify(Array.from({ length: conversations }, (_, nth) => conversation(nth))));
}
