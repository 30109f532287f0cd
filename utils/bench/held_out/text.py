# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of text: encoders and decoders of transformers, recurrent ones, and readers of images of text."""

import torch
from torch import nn

from .plan import Plan, pictures

TEXT = {"input_ids": {0: "batch", 1: "length"}, "attention_mask": {0: "batch", 1: "length"}}
VOCABULARY = 20000  # that of a model would only make files larger


class Encoder(nn.Module):
    """The first result of a model of transformers that takes tokens and their mask."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, input_ids, attention_mask):
        return self.module(input_ids=input_ids, attention_mask=attention_mask, return_dict=False)[0]


def draw_text(length):
    def draw(number):
        mask = torch.ones(1, length, dtype=torch.int64)
        mask[:, length - length // 8:] = 0
        return {"input_ids": torch.randint(3, VOCABULARY, (1, length)), "attention_mask": mask}
    return draw


def bert(hidden, layers, heads, length=128):
    import transformers
    config = transformers.BertConfig(vocab_size=VOCABULARY, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
                                     intermediate_size=4 * hidden, attn_implementation="eager")
    return Plan(Encoder(transformers.BertModel(config, add_pooling_layer=False)), draw_text(length), TEXT)


def distilbert(length=96):
    import transformers
    config = transformers.DistilBertConfig(vocab_size=VOCABULARY, attn_implementation="eager", num_labels=3)
    return Plan(Encoder(transformers.DistilBertForSequenceClassification(config)), draw_text(length), TEXT)


def t5_encoder(length=128):
    import transformers
    config = transformers.T5Config(vocab_size=VOCABULARY, d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_heads=8, use_cache=False)
    return Plan(Encoder(transformers.T5EncoderModel(config)), draw_text(length), TEXT)


class Prefill(nn.Module):
    """The first run of a decoder: the scores of the last token, and the cache for the next run."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, input_ids):
        result = self.module(input_ids=input_ids, use_cache=True, return_dict=True)
        cache = result.past_key_values
        pairs = cache.to_legacy_cache() if hasattr(cache, "to_legacy_cache") else cache
        return (result.logits[:, -1], *[tensor for pair in pairs for tensor in pair])


def gpt2(length=128):
    import transformers
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_layer=6, attn_implementation="eager")
    return Plan(Prefill(transformers.GPT2LMHeadModel(config)), lambda number: {"input_ids": torch.randint(3, VOCABULARY, (1, length))},
                {"input_ids": {0: "batch", 1: "length"}})


class LstmLanguage(nn.Module):
    def __init__(self, vocabulary=10000, width=320, hidden=480):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(vocabulary, width), nn.LSTM(width, hidden, 2, batch_first=True)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, input_ids):
        return self.out(self.lstm(self.embed(input_ids))[0])


def lstm_language(length=40):
    return Plan(LstmLanguage(), lambda number: {"input_ids": torch.randint(0, 10000, (1, length))},
                {"input_ids": {0: "batch", 1: "length"}})


class Crnn(nn.Module):
    """Convolutions that make a row of an image of text, and LSTMs in both directions over it."""

    def __init__(self, letters=37):
        super().__init__()
        layers, width = [], 1
        pools = {0: (2, 2), 1: (2, 2), 3: (2, 1), 5: (2, 1)}
        for i, outputs in enumerate((64, 128, 256, 256, 512, 512)):
            layers += [nn.Conv2d(width, outputs, 3, padding=1, bias=i not in (2, 4)), *([nn.BatchNorm2d(outputs)] if i in (2, 4) else []), nn.ReLU()]
            width = outputs
            if i in pools:
                layers.append(nn.MaxPool2d(pools[i], pools[i]))
        self.convs = nn.Sequential(*layers, nn.Conv2d(512, 512, 2), nn.BatchNorm2d(512), nn.ReLU())
        self.lstm, self.out = nn.LSTM(512, 256, 2, bidirectional=True), nn.Linear(512, letters)

    def forward(self, image):
        row = self.convs(image).squeeze(2).permute(2, 0, 1)
        return self.out(self.lstm(row)[0])


def crnn(width=160):
    return Plan(Crnn(), pictures(32, width, 1), {"image": {0: "batch", 3: "width"}})


class Tagger(nn.Module):
    """Words and the letters in them, read in both directions; a label for each word."""

    def __init__(self, width=128, letters=100, labels=17):
        super().__init__()
        self.words, self.letters = nn.Embedding(VOCABULARY, width), nn.Embedding(letters, 32)
        self.convs, self.body = nn.Conv1d(32, 64, 3, padding=1), nn.LSTM(width + 64, 256, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(512, labels)

    def forward(self, words, letters):
        batch, count, length = letters.shape
        inside = self.convs(self.letters(letters).flatten(0, 1).transpose(1, 2)).amax(2).reshape(batch, count, 64)
        return self.out(self.body(torch.cat([self.words(words), inside], 2))[0])


def tagger(count=40, length=12):
    return Plan(Tagger(), lambda number: {"words": torch.randint(0, VOCABULARY, (1, count)), "letters": torch.randint(0, 100, (1, count, length))},
                {"words": {0: "batch", 1: "count"}, "letters": {0: "batch", 1: "count"}})


class TextCnn(nn.Module):
    def __init__(self, width=256, filters=128, classes=6):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.convs, self.out = nn.ModuleList(nn.Conv1d(width, filters, taps) for taps in (3, 4, 5)), nn.Linear(3 * filters, classes)

    def forward(self, words):
        x = self.embed(words).transpose(1, 2)
        return self.out(torch.cat([torch.relu(conv(x)).amax(2) for conv in self.convs], 1)).softmax(1)


def text_cnn(count=100):
    return Plan(TextCnn(), lambda number: {"words": torch.randint(0, VOCABULARY, (1, count))}, {"words": {0: "batch", 1: "count"}})
