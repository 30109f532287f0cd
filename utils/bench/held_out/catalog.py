# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models: (set, name, what it is, its builder and the builder's options). Needs no package.

A builder is FAMILY.FUNCTION: a function of the module of that name in this folder."""

import dataclasses

SETS = {"float": "32-bit floats, fixed sizes", "open": "32-bit floats, open sizes", "int8": "8-bit integers",
        "second": "32-bit floats, fixed sizes, chosen when the speed of the first set was known",
        "third": "32-bit floats, fixed sizes, chosen when the speed of the first two was known"}


@dataclasses.dataclass(frozen=True)
class Entry:
    """One model. `exporter` is that of torch: "script" (TorchScript, the old one) or
    "dynamo". `quantized` has how integers.py makes it, for the set int8."""
    set: str
    name: str
    about: str
    builder: str
    exporter: str = "script"
    options: dict = dataclasses.field(default_factory=dict)
    quantized: dict = dataclasses.field(default_factory=dict)
    open: bool = False


def classifier(set, name, about, model, exporter="script", **options):
    return Entry(set, name, about, "images.classifier", exporter, {"model": model, **options}, open=set == "open")


def other(set, name, about, builder, exporter="script", **options):
    return Entry(set, name, about, builder, exporter, options, open=set == "open")


FLOAT = [
    classifier("float", "resnet18", "ResNet-18", "torchvision.resnet18"),
    classifier("float", "resnet34", "ResNet-34", "torchvision.resnet34", "dynamo"),
    classifier("float", "resnet101", "ResNet-101", "torchvision.resnet101"),
    classifier("float", "wide_resnet50", "wide ResNet-50", "torchvision.wide_resnet50_2", "dynamo"),
    classifier("float", "resnext50", "ResNeXt-50, convolutions in 32 groups", "torchvision.resnext50_32x4d"),
    classifier("float", "regnet_y_16", "RegNetY 1.6 GF", "torchvision.regnet_y_1_6gf", "dynamo"),
    classifier("float", "vgg16", "VGG-16", "torchvision.vgg16"),
    classifier("float", "densenet169", "DenseNet-169", "torchvision.densenet169"),
    classifier("float", "inception_v3", "Inception v3", "torchvision.inception_v3", size=299, aux_logits=False, init_weights=False),
    classifier("float", "efficientnet_b0", "EfficientNet-B0", "torchvision.efficientnet_b0"),
    classifier("float", "mobilenet_v3_small", "MobileNet v3 small", "torchvision.mobilenet_v3_small", "dynamo"),
    classifier("float", "mobilenet_v4", "MobileNet v4 small", "timm.mobilenetv4_conv_small"),
    classifier("float", "fbnet_c", "FBNet-C", "timm.fbnetc_100", "dynamo"),
    classifier("float", "ghostnet", "GhostNet", "timm.ghostnet_100"),
    classifier("float", "convnext_tiny", "ConvNeXt tiny", "torchvision.convnext_tiny"),
    classifier("float", "swin_tiny", "Swin transformer, tiny", "torchvision.swin_t", "dynamo"),
    classifier("float", "deit_small", "DeiT small", "timm.deit_small_patch16_224"),
    classifier("float", "poolformer", "PoolFormer S12", "timm.poolformer_s12"),
    classifier("float", "mobilevit", "MobileViT S", "timm.mobilevit_s", size=256),
    classifier("float", "hrnet", "HRNet W18", "timm.hrnet_w18"),
    other("float", "r3d18", "ResNet-18 of three dimensions, on video", "images.video"),
    other("float", "yolo", "detector with SiLU and C2f blocks", "detection.yolo", size=416),
    other("float", "ssd_lite", "SSD over MobileNet v3", "detection.ssd_lite", "dynamo"),
    other("float", "linknet", "LinkNet over ResNet-18", "pixels.linknet"),
    other("float", "deeplab", "DeepLab v3 over MobileNet v3", "pixels.deeplab"),
    other("float", "diffusion_unet", "small U-Net of a diffusion model", "pixels.diffusion_unet", "dynamo"),
    other("float", "edsr", "EDSR, twice the resolution", "pixels.edsr"),
    other("float", "esrgan", "small ESRGAN, four times the resolution", "pixels.esrgan"),
    other("float", "wav2letter", "wav2letter, convolutions of 48 and 32 taps", "audio.wav2letter"),
    other("float", "wav2vec2", "wav2vec 2.0 encoder", "audio.wav2vec2"),
    other("float", "whisper_encoder", "encoder of Whisper tiny", "audio.whisper_encoder"),
    other("float", "hifi_gan", "HiFi-GAN generator", "audio.hifi_gan", "dynamo"),
    other("float", "conv_tasnet", "Conv-TasNet, separates speakers", "audio.conv_tasnet"),
    other("float", "tcn", "causal convolutions in time", "audio.tcn"),
    other("float", "minilm", "MiniLM, 6 layers of 384", "text.bert", hidden=384, layers=6, heads=12),
    other("float", "bert_small", "BERT, 4 layers of 512", "text.bert", "dynamo", hidden=512, layers=4, heads=8),
    other("float", "distilbert", "DistilBERT", "text.distilbert"),
    other("float", "gpt2_prefill", "GPT-2 of 6 layers over 128 tokens, with its cache", "text.gpt2"),
    other("float", "t5_encoder", "encoder of T5 small", "text.t5_encoder"),
    other("float", "lstm_language", "language model of two LSTMs", "text.lstm_language"),
    other("float", "gru_speech", "bidirectional GRUs over speech", "audio.gru_speech"),
    other("float", "crnn", "CRNN, reads lines of text", "text.crnn"),
    other("float", "dlrm", "DLRM, recommends", "tables.dlrm", "dynamo"),
    other("float", "table_mlp", "dense layers over columns of a table", "tables.mlp"),
    other("float", "forest", "200 trees of LightGBM", "tables.forest"),
]

OPEN = [
    classifier("open", "resnet18_open", "ResNet-18", "torchvision.resnet18", "dynamo"),
    classifier("open", "densenet121_open", "DenseNet-121", "torchvision.densenet121"),
    classifier("open", "mobilenet_v3_open", "MobileNet v3 large", "torchvision.mobilenet_v3_large"),
    classifier("open", "swin_tiny_open", "Swin transformer, tiny; open batch", "torchvision.swin_t", batch_only=True),
    other("open", "deeplab_open", "DeepLab v3 over MobileNet v3", "pixels.deeplab", size=288),
    other("open", "linknet_open", "LinkNet over ResNet-18", "pixels.linknet"),
    other("open", "esrgan_open", "small ESRGAN", "pixels.esrgan"),
    other("open", "diffusion_unet_open", "small U-Net of a diffusion model", "pixels.diffusion_unet"),
    other("open", "yolo_open", "detector with SiLU and C2f blocks", "detection.yolo", size=352),
    other("open", "wav2letter_open", "wav2letter", "audio.wav2letter", "dynamo"),
    other("open", "wav2vec2_open", "wav2vec 2.0 encoder", "audio.wav2vec2"),
    other("open", "hifi_gan_open", "HiFi-GAN generator", "audio.hifi_gan"),
    other("open", "conv_tasnet_open", "Conv-TasNet", "audio.conv_tasnet"),
    other("open", "distilbert_open", "DistilBERT", "text.distilbert"),
    other("open", "bert_open", "BERT, 4 layers of 512", "text.bert", hidden=512, layers=4, heads=8),
    other("open", "gpt2_prefill_open", "GPT-2 of 6 layers, with its cache", "text.gpt2"),
    other("open", "lstm_language_open", "language model of two LSTMs", "text.lstm_language"),
]

SECOND = [
    classifier("second", "alexnet", "AlexNet", "torchvision.alexnet"),
    classifier("second", "squeezenet", "SqueezeNet 1.1", "torchvision.squeezenet1_1", "dynamo"),
    classifier("second", "googlenet", "GoogLeNet", "torchvision.googlenet", aux_logits=False, init_weights=False),
    classifier("second", "shufflenet", "ShuffleNet v2", "torchvision.shufflenet_v2_x1_0"),
    classifier("second", "mnasnet", "MNASNet 0.75", "torchvision.mnasnet0_75"),
    classifier("second", "regnet_x_8", "RegNetX 0.8 GF", "torchvision.regnet_x_800mf"),
    classifier("second", "vit_b_32", "ViT-B of patches of 32", "torchvision.vit_b_32", "dynamo"),
    classifier("second", "xception", "Xception-41", "timm.xception41", size=299),
    classifier("second", "inception_v4", "Inception v4", "timm.inception_v4", size=299),
    classifier("second", "res2net", "Res2Net-50", "timm.res2net50_26w_4s"),
    classifier("second", "dpn", "DPN-68", "timm.dpn68"),
    classifier("second", "vovnet", "VoVNet 19, depthwise", "timm.ese_vovnet19b_dw"),
    classifier("second", "repvgg", "RepVGG A0 with its branches", "timm.repvgg_a0"),
    classifier("second", "hgnet", "HGNet v2 B0", "timm.hgnetv2_b0"),
    classifier("second", "cspdarknet", "CSPDarknet-53", "timm.cspdarknet53"),
    classifier("second", "skresnet", "SK-ResNet-18", "timm.skresnet18"),
    classifier("second", "seresnext", "SE-ResNeXt-26", "timm.seresnext26d_32x4d"),
    classifier("second", "resnest", "ResNeSt-14", "timm.resnest14d"),
    classifier("second", "efficientnet_v2", "EfficientNet v2 B0", "timm.tf_efficientnetv2_b0"),
    classifier("second", "rexnet", "ReXNet 1.0", "timm.rexnet_100"),
    classifier("second", "lcnet", "PP-LCNet 1.0", "timm.lcnet_100"),
    classifier("second", "mobileone", "MobileOne S0 with its branches", "timm.mobileone_s0"),
    classifier("second", "repvit", "RepViT M1", "timm.repvit_m1"),
    classifier("second", "starnet", "StarNet S1", "timm.starnet_s1"),
    classifier("second", "ghostnet_v2", "GhostNet v2", "timm.ghostnetv2_100"),
    classifier("second", "fastvit", "FastViT T8", "timm.fastvit_t8", size=256),
    classifier("second", "efficientvit", "EfficientViT B0", "timm.efficientvit_b0"),
    classifier("second", "edgenext", "EdgeNeXt X small", "timm.edgenext_x_small", size=256),
    classifier("second", "efficientformer", "EfficientFormer L1", "timm.efficientformer_l1"),
    classifier("second", "levit", "LeViT 128S", "timm.levit_128s"),
    classifier("second", "mixer", "MLP-Mixer S/16", "timm.mixer_s16_224"),
    classifier("second", "gmlp", "gMLP S/16", "timm.gmlp_s16_224"),
    classifier("second", "resmlp", "ResMLP 12", "timm.resmlp_12_224"),
    classifier("second", "cait", "CaiT XXS-24", "timm.cait_xxs24_224"),
    classifier("second", "xcit", "XCiT nano", "timm.xcit_nano_12_p16_224"),
    classifier("second", "pvt", "PVT v2 B0", "timm.pvt_v2_b0"),
    classifier("second", "twins", "Twins SVT small", "timm.twins_svt_small"),
    classifier("second", "crossvit", "CrossViT 9", "timm.crossvit_9_240", size=240),
    classifier("second", "coatnet", "CoAtNet nano", "timm.coatnet_nano_rw_224"),
    classifier("second", "maxvit", "MaxViT nano", "timm.maxvit_nano_rw_256", size=256),
    classifier("second", "focalnet", "FocalNet tiny", "timm.focalnet_tiny_srf"),
    classifier("second", "davit", "DaViT tiny", "timm.davit_tiny"),
    other("second", "unet", "U-Net of segmentation", "restoration.unet"),
    other("second", "dncnn", "DnCNN, takes noise away", "restoration.dncnn"),
    other("second", "fsrcnn", "FSRCNN, three times the resolution", "restoration.fsrcnn"),
    other("second", "nafnet", "small NAFNet, takes noise away", "restoration.nafnet"),
    other("second", "style_transfer", "style transfer with instance norms", "restoration.style_transfer"),
    other("second", "generator", "generator of a DCGAN", "restoration.generator"),
    other("second", "salience", "small U2-Net, what is in front", "restoration.salience"),
    other("second", "superpoint", "SuperPoint, points and descriptors", "restoration.superpoint"),
    other("second", "segformer", "SegFormer B0", "language.segformer"),
    other("second", "yolos", "YOLOS tiny", "language.yolos"),
    other("second", "clip_vision", "encoder of CLIP for images, 6 layers of 384", "language.clip_vision"),
    other("second", "speaker", "ECAPA-TDNN", "speech.speaker"),
    other("second", "wavenet", "WaveNet", "speech.wavenet"),
    other("second", "demucs", "small Demucs", "speech.demucs"),
    other("second", "codec", "decoder as EnCodec's", "speech.codec"),
    other("second", "conformer", "Conformer encoder", "speech.conformer"),
    other("second", "spectrogram_transformer", "audio spectrogram transformer", "speech.spectrogram_transformer"),
    other("second", "keyword_spotter", "DS-CNN", "speech.keyword_spotter"),
    other("second", "albert", "ALBERT", "language.encoder", kind="Albert", embedding_size=128),
    other("second", "electra", "ELECTRA", "language.encoder", kind="Electra", embedding_size=128),
    other("second", "deberta", "DeBERTa v2", "language.encoder", kind="DebertaV2", relative_attention=True, pos_att_type=["p2c", "c2p"]),
    other("second", "bart_encoder", "encoder of BART, 4 layers of 512", "language.bart_encoder"),
    other("second", "llama_prefill", "LLaMA of 6 layers with groups of queries", "language.prefill", kind="Llama", num_key_value_heads=2),
    other("second", "opt_prefill", "OPT of 6 layers", "language.prefill", kind="OPT", ffn_dim=1536, word_embed_proj_dim=384),
    other("second", "neox_prefill", "GPT-NeoX of 6 layers", "language.prefill", kind="GPTNeoX"),
    other("second", "translator", "encoder and decoder of 3 layers", "language.translator", "dynamo"),
    other("second", "patch_tst", "PatchTST, forecasts series", "language.series", "dynamo"),
    other("second", "pointnet", "PointNet", "language.points"),
]

THIRD = [
    classifier("third", "vgg11_norm", "VGG-11 with batch normalization", "torchvision.vgg11_bn"),
    classifier("third", "swin_v2_tiny", "Swin transformer v2, tiny", "torchvision.swin_v2_t", size=256),
    classifier("third", "maxvit_tiny", "MaxViT tiny of torchvision", "torchvision.maxvit_t"),
    classifier("third", "regnet_x_16", "RegNetX 1.6 GF", "torchvision.regnet_x_1_6gf", "dynamo"),
    classifier("third", "dla34", "DLA-34", "timm.dla34"),
    classifier("third", "mixnet", "MixNet S, depthwise windows of several sizes", "timm.mixnet_s"),
    classifier("third", "tinynet", "TinyNet A", "timm.tinynet_a", size=192),
    classifier("third", "repghost", "RepGhostNet 1.0", "timm.repghostnet_100"),
    classifier("third", "mobilevit_v2", "MobileViT v2 1.0", "timm.mobilevitv2_100", size=256),
    classifier("third", "mobilenet_v4_hybrid", "MobileNet v4 with attention", "timm.mobilenetv4_hybrid_medium"),
    classifier("third", "selecsls", "SelecSLS 42b", "timm.selecsls42b"),
    classifier("third", "resnet_v2", "ResNet-50 v2, norms in front", "timm.resnetv2_50"),
    classifier("third", "nfnet", "NFNet L0 with squeezes", "timm.eca_nfnet_l0"),
    classifier("third", "seresnet", "SE-ResNet-50", "timm.seresnet50", "dynamo"),
    classifier("third", "botnet", "BoTNet-26 tiny", "timm.botnet26t_256", size=256),
    classifier("third", "convmixer", "ConvMixer 768/32 at 112 pixels", "timm.convmixer_768_32", size=112),
    classifier("third", "visformer", "Visformer tiny", "timm.visformer_tiny"),
    classifier("third", "convit", "ConViT tiny", "timm.convit_tiny"),
    classifier("third", "pit", "PiT tiny", "timm.pit_ti_224"),
    classifier("third", "hiera", "Hiera tiny", "timm.hiera_tiny_224"),
    classifier("third", "tiny_vit", "TinyViT 5M", "timm.tiny_vit_5m_224"),
    classifier("third", "next_vit", "Next-ViT small", "timm.nextvit_small"),
    classifier("third", "mvit_v2", "MViT v2 tiny", "timm.mvitv2_tiny"),
    classifier("third", "sequencer", "Sequencer2D S, LSTMs over rows and columns", "timm.sequencer2d_s"),
    classifier("third", "caformer", "CAFormer S18", "timm.caformer_s18"),
    classifier("third", "mambaout", "MambaOut femto", "timm.mambaout_femto"),
    classifier("third", "inception_next", "InceptionNeXt tiny", "timm.inception_next_tiny"),
    classifier("third", "eva02", "EVA-02 tiny", "timm.eva02_tiny_patch14_224"),
    classifier("third", "shvit", "SHViT S1", "timm.shvit_s1"),
    classifier("third", "rdnet", "RDNet tiny, dense blocks of today", "timm.rdnet_tiny"),
    classifier("third", "efficientvit_m0", "EfficientViT M0 of cascaded groups", "timm.efficientvit_m0"),
    other("third", "fcn", "FCN over ResNet-50", "pixels.fcn"),
    other("third", "lraspp", "LR-ASPP over MobileNet v3", "pixels.lraspp"),
    other("third", "volume_unet", "U-Net of three dimensions", "restoration.volume_unet"),
    other("third", "rcan", "small RCAN, twice the resolution", "restoration.rcan"),
    other("third", "autoencoder", "encoder and decoder of latent diffusion", "restoration.autoencoder"),
    other("third", "quartznet", "QuartzNet 5x5, separable convolutions over time", "speech.quartznet"),
    other("third", "deep_speech", "Deep Speech 2, convolutions and GRUs", "speech.deep_speech"),
    other("third", "denoiser", "GRUs that mask a spectrum", "speech.denoiser"),
    other("third", "fast_speech", "FastSpeech 2 encoder and decoder", "speech.fast_speech"),
    other("third", "mobile_bert", "MobileBERT of 6 layers", "language.encoder", kind="MobileBert", hidden_size=512, intra_bottleneck_size=128,
          intermediate_size=512, num_attention_heads=4),
    other("third", "squeeze_bert", "SqueezeBERT, layers as grouped convolutions", "language.encoder", kind="SqueezeBert", hidden_size=384, embedding_size=384),
    other("third", "roberta", "RoBERTa of 6 layers", "language.encoder", "dynamo", kind="Roberta"),
    other("third", "mpnet", "MPNet of 6 layers", "language.encoder", kind="MPNet"),
    other("third", "deberta_v1", "DeBERTa of 4 layers", "language.encoder", kind="Deberta", num_hidden_layers=4),
    other("third", "qwen_prefill", "Qwen 2 of 6 layers", "language.prefill", kind="Qwen2", num_key_value_heads=2),
    other("third", "gemma_prefill", "Gemma of 6 layers", "language.prefill", kind="Gemma", num_key_value_heads=1, head_dim=64),
    other("third", "phi_prefill", "Phi of 6 layers", "language.prefill", kind="Phi"),
    other("third", "bloom_prefill", "BLOOM of 6 layers", "language.prefill", kind="Bloom", n_layer=6, n_head=6),
    other("third", "dino_v2", "DINOv2, 6 layers of 384", "language.dino"),
    other("third", "detr", "DETR over ResNet-18", "detection.detr"),
    other("third", "tagger", "bidirectional LSTM over words and their letters", "text.tagger"),
    other("third", "text_cnn", "convolutions of 3, 4 and 5 words", "text.text_cnn"),
    other("third", "deep_fm", "DeepFM, recommends", "tables.deep_fm"),
    other("third", "table_transformer", "FT-Transformer", "tables.table_transformer"),
]


def integer(base, how, kind, builder, activations="u8", weights="s8", channels=False, open=False, **options):
    """NAME_HOW; `kind` is qdq (pairs around operators), operator (QLinear...) or dynamic."""
    quantized = {"kind": kind, "activations": activations, "weights": weights, "channels": channels}
    scales = "a scale for each channel" if channels else "one scale for a tensor"
    types = f"weights {weights}" if kind == "dynamic" else f"activations {activations}, weights {weights}"
    if "." in builder and builder.split(".")[0] in ("torchvision", "timm"):
        builder, options = "images.classifier", {"model": builder, **options}
    return Entry("int8", f"{base}_{how}", f"{base}: {kind}, {types}, {scales}", builder, "script", options, quantized, open)


BERT = {"hidden": 512, "layers": 4, "heads": 8}
INT8 = [
    integer("resnet50", "pairs_u8s8", "qdq", "torchvision.resnet50", channels=True),
    integer("resnet50", "pairs_u8u8", "qdq", "torchvision.resnet50", weights="u8"),
    integer("resnet18", "operators_u8s8", "operator", "torchvision.resnet18"),
    integer("resnet18", "pairs_s8s8", "qdq", "torchvision.resnet18", activations="s8"),
    integer("regnet_y_16", "pairs_u8s8", "qdq", "torchvision.regnet_y_1_6gf", channels=True),
    integer("mobilenet_v2", "pairs_s8s8", "qdq", "torchvision.mobilenet_v2", activations="s8", channels=True),
    integer("mobilenet_v2", "operators_u8u8", "operator", "torchvision.mobilenet_v2", weights="u8"),
    integer("mobilenet_v3", "pairs_u8s8", "qdq", "torchvision.mobilenet_v3_large"),
    integer("efficientnet_b0", "pairs_s8s8", "qdq", "torchvision.efficientnet_b0", activations="s8", channels=True),
    integer("efficientnet_b0", "operators_u8s8", "operator", "torchvision.efficientnet_b0", channels=True),
    integer("densenet169", "pairs_u8u8", "qdq", "torchvision.densenet169", weights="u8"),
    integer("densenet169", "operators_u8s8", "operator", "torchvision.densenet169"),
    integer("darknet", "pairs_s8s8", "qdq", "detection.darknet", activations="s8", channels=True),
    integer("darknet", "operators_u8s8_open", "operator", "detection.darknet", open=True),
    integer("deit_small", "dynamic_s8", "dynamic", "timm.deit_small_patch16_224"),
    integer("deit_small", "pairs_u8s8", "qdq", "timm.deit_small_patch16_224", channels=True),
    integer("bert", "dynamic_u8", "dynamic", "text.bert", weights="u8", **BERT),
    integer("bert", "pairs_u8s8", "qdq", "text.bert", **BERT),
    integer("distilbert", "dynamic_s8_open", "dynamic", "text.distilbert", channels=True, open=True),
    integer("ultraface", "pairs_u8s8", "qdq", "detection.ultraface"),
    integer("ultraface", "operators_u8u8", "operator", "detection.ultraface", weights="u8"),
    integer("lstm_language", "dynamic_s8", "dynamic", "text.lstm_language"),
]

ENTRIES = FLOAT + OPEN + INT8 + SECOND + THIRD
