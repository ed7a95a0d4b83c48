"""Models of one node for test/onnx/dtype_trials.py, as text."""
HEAD = '<ir_version: 10, opset_import: ["": {version}, "ai.onnx.ml": 5]>'
WRITTEN = {                                              # where the suite has no node, or none that is the same each time
    "ConcatFromSequence": ["(seq(float[2,3]) s) => (float[4,3] y) { y = ConcatFromSequence<axis=0>(s) }"],
    "GlobalLpPool": ["(float[1,2,3,2] x) => (float[1,2,1,1] y) { y = GlobalLpPool(x) }"],
    "TfIdfVectorizer": ['(string[6] x) => (float[3] y) { y = TfIdfVectorizer<mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0,'
                        ' ngram_counts=[0], ngram_indexes=[0,1,2], pool_strings=["t0","t1","t2"]>(x) }'],
    "OneHotEncoder": ['(string[4] x) => (float[4,3] y) { y = ai.onnx.ml.OneHotEncoder<cats_strings=["t0","t1","t2"], zeros=1>(x) }'],
    "CategoryMapper": ['(string[4] x) => (int64[4] y) { y = ai.onnx.ml.CategoryMapper<cats_int64s=[0,1,2], cats_strings=["t0","t1","t2"]>(x) }',
                       '(int64[4] x) => (string[4] y) { y = ai.onnx.ml.CategoryMapper<cats_int64s=[0,1,2], cats_strings=["t0","t1","t2"]>(x) }'],
    "Bernoulli": ["(float[2,3] x) => (float[2,3] y) { y = Bernoulli<dtype=1>(x) }"],
    "Multinomial": ["(float[2,1] x) => (int32[2,3] y) { y = Multinomial<sample_size=3>(x) }"],
    "RandomNormal": ["() => (float[2,3] y) { y = RandomNormal<dtype=1, shape=[2,3], mean=3.0, scale=0.0>() }"],
    "RandomUniform": ["() => (float[2,3] y) { y = RandomUniform<dtype=1, shape=[2,3], low=3.0, high=3.0>() }"],
    "RandomNormalLike": ["(float[2,3] x) => (float[2,3] y) { y = RandomNormalLike<mean=3.0, scale=0.0, dtype=1>(x) }"],
    "RandomUniformLike": ["(float[2,3] x) => (float[2,3] y) { y = RandomUniformLike<low=3.0, high=3.0, dtype=1>(x) }"],
    "SequenceAt": ["(seq(float[2,3]) s, int64 i) => (float[2,3] y) { y = SequenceAt(s, i) }"],
    "SequenceConstruct": ["(float[2,3] a, float[2] b) => (seq(float) y) { y = SequenceConstruct(a, b) }"],
    "SequenceEmpty": ["() => (seq(float) y) { y = SequenceEmpty<dtype=1>() }"],
    "SequenceErase": ["(seq(float[2,3]) s, int64 i) => (seq(float) y) { y = SequenceErase(s, i) }"],
    "SequenceInsert": ["(seq(float[2,3]) s, float[2,3] x, int64 i) => (seq(float) y) { y = SequenceInsert(s, x, i) }"],
    "SequenceLength": ["(seq(float[2,3]) s) => (int64 y) { y = SequenceLength(s) }"],
    "SequenceMap": ["(seq(float[2,3]) s) => (seq(float) y) { y = SequenceMap<body = b (float[2,3] e) => (float[3,2] f) { f = Transpose(e) }>(s) }"],
    "Optional": ["(float[2,3] x) => (optional(float[2,3]) y) { y = Optional(x) }"],
    "OptionalGetElement": ["(optional(float[2,3]) x) => (float[2,3] y) { y = OptionalGetElement(x) }"],
    "OptionalHasElement": ["(optional(float[2,3]) x) => (bool y) { y = OptionalHasElement(x) }"],
    "If": ["(float[2,3] x, bool c) => (float[2,3] y) { y = If<then_branch = t () => (float[2,3] a) { a = Identity(x) },"
           " else_branch = e () => (float[2,3] b) { b = Transpose<perm=[0,1]>(x) }>(c) }"],
    "Loop": ["(float[2,2] x, int64 n, bool k) => (float[2,2] y) { y = Loop<body = l (int64 i, bool c, float[2,2] a) => (bool d, float[2,2] b)"
             " { d = Identity(c) b = Transpose(a) }>(n, k, x) }"],
    "Scan": ["(float[2,3] x) => (float[2,3] y) { y = Scan<num_scan_inputs=1, body = l (float[3] a) => (float[3] b) { b = Identity(a) }>(x) }"],
}
# Long sums: one in f16 ends at 2048, one in bf16 at 256.
LONG = {name: [f"(float[2,3000] x) => (float[{size}] y) {{ y = {name}{attributes}(x) }}"] for name, size, attributes in (
    ("Softmax", "2,3000", ""), ("LogSoftmax", "2,3000", ""), ("LpNormalization", "2,3000", ""), ("ReduceSum", "1,1", ""), ("ReduceMean", "1,1", ""), ("ReduceL1", "1,1", ""),
    ("ReduceL2", "1,1", ""), ("ReduceLogSum", "1,1", ""), ("ReduceLogSumExp", "1,1", ""), ("ReduceSumSquare", "1,1", ""), ("Einsum", "2", '<equation="ij->i">'))}
LONG |= {"MatMul": ["(float[2,3000] x, float[3000,2] z) => (float[2,2] y) { y = MatMul(x, z) }"],
         "Gemm": ["(float[2,3000] x, float[3000,2] z) => (float[2,2] y) { y = Gemm(x, z) }"],
         "CumSum": ["(float[1,3000] x, int64 a) => (float[1,3000] y) { y = CumSum(x, a) }"],
         "GlobalAveragePool": ["(float[1,2,60,50] x) => (float[1,2,1,1] y) { y = GlobalAveragePool(x) }"],
         "AveragePool": ["(float[1,2,3000] x) => (float[1,2,1] y) { y = AveragePool<kernel_shape=[3000]>(x) }"],
         "Conv": ["(float[1,1,3000] x, float[1,1,3000] w) => (float[1,1,1] y) { y = Conv(x, w) }"],
         "LayerNormalization": ["(float[2,3000] x, float[3000] w) => (float[2,3000] y) { y = LayerNormalization(x, w) }"],
         "RMSNormalization": ["(float[2,3000] x, float[3000] w) => (float[2,3000] y) { y = RMSNormalization(x, w) }"],
         "InstanceNormalization": ["(float[1,2,3000] x, float[2] w, float[2] b) => (float[1,2,3000] y) { y = InstanceNormalization(x, w, b) }"],
         "NegativeLogLikelihoodLoss": ["(float[3000,3] x, int64[3000] t) => (float y) { y = NegativeLogLikelihoodLoss<reduction=\"sum\">(x, t) }"],
         "SoftmaxCrossEntropyLoss": ["(float[3000,3] x, int64[3000] t) => (float y) { y = SoftmaxCrossEntropyLoss<reduction=\"sum\">(x, t) }"]}
