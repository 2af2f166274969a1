import assert from 'node:assert/strict';
import { parseOptions, UsageError } from '../../../src/localGateway/options.ts';

describe('options of the local gateway', () => {
  it('are read, in both ways of writing a value', () => {
    assert.deepEqual(parseOptions(['--demo']), {
      help: false,
      demo: true,
      port: 0,
      config: undefined,
      tasks: undefined,
      pace: undefined,
    });
    assert.deepEqual(parseOptions(['--config=a.json', '--port', '8080', '--pace', '0', '--tasks', 't']), {
      help: false,
      demo: false,
      port: 8080,
      config: 'a.json',
      tasks: 't',
      pace: 0,
    });
    assert.equal(parseOptions(['--help']).help, true);
  });

  const wrong: readonly (readonly [args: readonly string[], says: RegExp])[] = [
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
    [['--demo=no'], /--demo takes no value/],
  ];
  for (const [args, says] of wrong) {
    it(`are refused: ${args.join(' ') || 'none'}`, () => {
      assert.throws(
        () => parseOptions(args),
        (error) => error instanceof UsageError && says.test(error.message),
      );
    });
  }
});
