"""rouge-score: ROUGE-1, -2 and -L without stemming."""

from rouge_score.rouge_scorer import RougeScorer

from lcg import measured, task, text_pairs

KINDS = ["rouge1", "rouge2", "rougeL"]


def rouge(words, count):
    pairs = text_pairs(words, count)
    scorer = RougeScorer(KINDS, use_stemmer=False)

    def work():
        sum_of_means = 0.0
        for reference, prediction in pairs:
            scores = scorer.score(reference, prediction)
            sum_of_means += sum(scores[kind].fmeasure for kind in KINDS) / 3
        return sum_of_means

    measured(count, work)


if __name__ == "__main__":
    {"rouge-55": lambda: rouge(55, 512), "rouge-344": lambda: rouge(344, 64)}[task()]()
