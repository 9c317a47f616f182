'use strict';

module.exports = function slug(text) {
  return text.toLowerCase().replace(/ /, '-');
};
