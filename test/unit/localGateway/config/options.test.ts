import assert from 'node:assert/strict';
import { parseConfig } from '../../../../src/localGateway/config/configFile.ts';
import { helpText, parseOptions, UsageError } from '../../../../src/localGateway/config/options.ts';

describe('options of the local gateway', () => {
  it('are read in both forms, --name=value and --name value', () => {
    assert.deepEqual(parseOptions(['--demo']), {
      action: 'serve',
      demo: true,
      port: undefined,
      config: undefined,
      tasks: undefined,
      trust: false,
      state: undefined,
      accessLog: undefined,
      pace: undefined,
      replacesCredential: false,
      makeCredential: undefined,
      exitAfterWindows: undefined,
    });
    const { port, config, pace, tasks, state, accessLog } = parseOptions([
      '--config=a.json',
      '--port',
      '8080',
      '--pace',
      '0',
      '--tasks',
      't',
      '--state',
      's',
      '--access-log',
      '-',
    ]);
    assert.deepEqual([port, config, pace, tasks, state, accessLog], [8080, 'a.json', 0, 't', 's', '-']);
  });

  it('are documented with a valid configuration example', () => {
    const example = /^ {2}\{\n[\s\S]*?^ {2}\}$/m.exec(helpText)?.[0] ?? '';
    const { config } = parseConfig(example.replace('"..."', JSON.stringify('0'.repeat(64))), 'help');
    assert.deepEqual(Object.keys(config).toSorted(), ['aliases', 'credentials', 'upstreams']);
  });

  it('determine the action of the program', () => {
    const actions: readonly (readonly [args: readonly string[], action: string])[] = [
      [['--help', '--demo'], 'help'],
      [['--version'], 'version'],
      [['--stop'], 'stop'],
      [['--check', '--config', 'a.json'], 'check'],
      [['--new-credential'], 'newCredential'],
      [['--new-credential', '--demo'], 'serve'],
      [['--make-credential', 'ci'], 'makeCredential'],
    ];
    for (const [args, action] of actions) assert.equal(parseOptions(args).action, action, args.join(' '));
  });

  const wrong: readonly (readonly [args: readonly string[], pattern: RegExp])[] = [
    [[], /nothing to serve: give --demo, --config FILE or both/],
    [['--demo', '-x'], /no option -x/],
    [['--demo', '--no-demo'], /no option --no-demo/],
    [['demo'], /"demo" is not an option/],
    [['--demo', '--port', 'many'], /--port expects a whole number from 0 to 65535, not "many"/],
    [['--demo', '--port', '65536'], /--port expects/],
    [['--demo', '--port', '1.5'], /--port expects/],
    [['--demo', '--port'], /--port expects/],
    [['--demo', '--pace', '-1'], /--pace expects/],
    [['--config'], /--config expects the path/],
    [['--config='], /--config expects the path/],
    [['--demo', '--tasks'], /--tasks expects the path/],
    [['--demo', '--state='], /--state expects the path of a folder/],
    [['--check'], /--check expects --config FILE/],
    [['--make-credential', 'Two Words'], /--make-credential expects a name/],
    [['--demo', '--access-log'], /--access-log expects the path/],
    [['--demo=no'], /--demo takes no value/],
  ];
  for (const [args, pattern] of wrong) {
    it(`are refused: ${args.join(' ') || 'none'}`, () => {
      assert.throws(
        () => parseOptions(args),
        (error) => error instanceof UsageError && pattern.test(error.message),
      );
    });
  }
});
