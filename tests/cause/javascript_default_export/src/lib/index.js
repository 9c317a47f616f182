'use strict';
var slug = require('./slug');

function title(text) {
  return text[0].toUpperCase() + text.slice(1);
}

module.exports = { slug: slug, title: title };
