import assert from 'node:assert/strict';
import { decodeModelList } from '../../../src/wire/apis/models/modelList.ts';
import { findFamilyUses, findModelUses, type ModelUse } from '../../../src/wire/apis/models/modelUse.ts';
import { assertLinear } from '../../support/linearCost.ts';

/** The uses of the only model of a list, as the list reports them. */
function listedUses(element: object, id = 'm'): readonly ModelUse[] | undefined {
  return decodeModelList([{ id, ...element }])?.[0]?.uses;
}

describe('the use of a model', () => {
  it('follows from the family if no gateway reports it', () => {
    const ids: Readonly<Record<ModelUse, string>> = {
      chat:
        'gpt-5-mini anthropic/claude-sonnet-4 gemini-2.5-pro qwen3-omni-flash llava-next-video-7b individual-1 ' +
        'mistral-large taiwan-llm deepseek-ocr gpt-oss-safeguard-20b weakling-7b demo/chat nova-pro unheard-of',
      video:
        'veo-3.0-generate wan2.5-t2v wanx2.1-i2v-plus sora-2 kwaivgi/kling-v2.1 vidu-q1 MiniMax-Hailuo-02 ' +
        'seedance-1-pro omni-flash gemini-omni-flash demo/video hunyuan-video kling-image-to-video runway-gen4_turbo',
      image:
        'dall-e-3 gpt-image-1 black-forest-labs/FLUX.1-schnell imagen-4.0-ultra wan2.2-t2i-flash qwen-image-edit ' +
        'stable-diffusion-3.5 sdxl-turbo ideogram-v3 recraft-v3 seedream-4 grok-2-image',
      audio:
        'tts-1-hd gpt-4o-mini-tts gpt-4o-realtime-preview gpt-audio-mini gemini-2.5-flash-preview-tts lyria-002 ' +
        'gemini-live-2.5-flash eleven_multilingual_v2 speech-02-hd',
      transcription: 'whisper-1 openai/whisper-large-v3 gpt-4o-transcribe qwen3-asr-flash paraformer-v2',
      embedding:
        'text-embedding-3-small gemini-embedding-001 BAAI/bge-m3 voyage-3.5 nomic-embed-text Qwen/Qwen3-Embedding-8B ' +
        'intfloat/e5-mistral all-minilm mistral-embed',
      rerank: 'cohere/rerank-v3.5 bge-reranker-v2-m3 Qwen3-Reranker-4B jina-re-rank',
      moderation: 'omni-moderation-latest mistral-moderation-2411 meta-llama/Llama-Guard-4-12B',
      other: 'mistral-ocr-latest davinci-002 gpt-3.5-turbo-instruct',
    };
    for (const [use, all] of Object.entries(ids)) {
      for (const id of all.split(' ')) assert.deepEqual(findFamilyUses(id), [use], id);
    }
    assert.deepEqual(findFamilyUses('google/gemini-2.5-flash-image'), ['chat', 'image']);
  });

  it('is read from each gateway’s own fields', () => {
    const cases: readonly (readonly [gateway: string, element: object, ...uses: ModelUse[]])[] = [
      ['LiteLLM', { mode: 'image_generation' }, 'image'],
      ['LiteLLM', { model_info: { mode: 'audio_transcription' } }, 'transcription'],
      ['LiteLLM', { supported_endpoints: ['/v1/chat/completions', '/v1/batch'] }, 'chat'],
      [
        'OpenRouter',
        { architecture: { output_modalities: ['text'], input_modalities: ['text', 'video'] } },
        'chat',
      ],
      ['OpenRouter', { architecture: { output_modalities: ['image', 'text'] } }, 'image', 'chat'],
      ['OpenRouter', { architecture: { modality: 'text+image->text' } }, 'chat'],
      ['OpenRouter', { architecture: { modality: 'text->embeddings' } }, 'embedding'],
      ['OpenRouter', { architecture: { modality: 'audio->text' } }, 'transcription'],
      ['Together', { type: 'rerank' }, 'rerank'],
      ['Together', { type: 'code' }, 'chat'],
      ['Vercel', { type: 'language' }, 'chat'],
      ['LM Studio', { type: 'vlm' }, 'chat'],
      ['Fireworks', { kind: 'EMBEDDING_MODEL' }, 'embedding'],
      ['Mistral', { capabilities: { completion_chat: true, vision: true, ocr: true } }, 'chat'],
      ['Mistral', { capabilities: { completion_chat: false, moderation: true } }, 'moderation'],
      ['Mistral', { capabilities: { completion_chat: false, ocr: true } }, 'other'],
      ['Azure', { capabilities: { chat_completion: false, embeddings: true } }, 'embedding'],
      ['Ollama', { capabilities: ['completion', 'tools', 'vision'] }, 'chat'],
      ['Copilot', { capabilities: { type: 'embeddings' } }, 'embedding'],
      ['Gemini', { supportedGenerationMethods: ['predictLongRunning'] }, 'video'],
      ['Gemini', { supportedGenerationMethods: ['embedContent', 'countTokens'] }, 'embedding'],
      ['Cohere', { endpoints: ['chat', 'generate'] }, 'chat'],
      ['new-api', { supported_endpoint_types: ['openai-video'] }, 'video'],
      ['GitHub', { task: 'chat-completion', supported_output_modalities: ['text'] }, 'chat'],
      ['Cloudflare', { task: { name: 'Text Generation' } }, 'chat'],
    ];
    for (const [gateway, element, ...uses] of cases) {
      assert.deepEqual(listedUses(element), uses, `${gateway}: ${JSON.stringify(element)}`);
    }
  });

  it('follows from the family if the gateway’s report fits several uses', () => {
    for (const element of [
      { type: 'model', object: 'model' },
      { supportedGenerationMethods: ['generateContent', 'countTokens'] },
      { supported_endpoint_types: ['openai'] },
      { capabilities: ['audio', 'image', 'tools'] },
      { mode: null, type: 7, architecture: 'x', capabilities: [null, {}], endpoints: { chat: 1 } },
    ]) {
      assert.equal(listedUses(element), undefined, JSON.stringify(element));
    }
  });

  it('is the family’s other use if the gateway only reports that the model does not chat', () => {
    assert.deepEqual(listedUses({ capabilities: { completion_chat: false } }, 'codestral-embed'), [
      'embedding',
    ]);
    assert.deepEqual(listedUses({ supports_chat: false }, 'unheard-of'), ['other']);
  });

  it('is determined by the user, a trial, the gateway and the family, in this order', () => {
    const listed = { id: 'whisper-1', uses: ['image'] } as const;
    assert.deepEqual(findModelUses({ id: 'whisper-1' }), ['transcription']);
    assert.deepEqual(findModelUses(listed), ['image']);
    assert.deepEqual(findModelUses(listed, { trialUses: ['audio'] }), ['audio']);
    assert.deepEqual(findModelUses(listed, { trialUses: ['audio'], useByRules: 'video' }), ['video']);
    assert.deepEqual(findModelUses(listed, { useByRules: 'video', isForChats: true }), ['chat', 'video']);
    assert.deepEqual(findModelUses({ id: 'gpt-5' }, { isForChats: false }), []);
    assert.deepEqual(findModelUses({ id: 'gpt-5' }, { isForChats: true }), ['chat']);
  });

  it('P9 is found in linear time for long ids', () => {
    assertLinear(
      (n) => 'gemini-omni-'.repeat(n),
      (id) => void findFamilyUses(id),
    );
  });
});
