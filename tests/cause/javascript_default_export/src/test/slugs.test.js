'use strict';
const test = require('node:test');
const assert = require('node:assert');
const slugs = require('../');

test('titles begin with a capital', () => {
  assert.strictEqual(slugs.title('abc'), 'Abc');
});

test('every blank becomes a dash', () => {
  const got = slugs.slug('A b C');
  assert.strictEqual(got, 'a-b-c');
});
